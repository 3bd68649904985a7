{#- inputs: -#}
-- loss: share of the values that a label covers, as weighted mean over attributes
-- source:  Ghinita 2007, by values: 0 for a single value, else values / all values
-- reads:   decided_classes, class_covers
-- returns: one row
--   cost   0 (as in the source) to 1 (nothing is left)
select
    sum(
        decided_classes.class_size * covers.weight * covers.value_share
        order by covers.class, covers.attribute_number
    )
        / sum(
            decided_classes.class_size * covers.weight
            order by covers.class, covers.attribute_number
        ) as cost
from sqlanon.class_covers as covers
inner join decided_classes on decided_classes.class_1 = covers.class
