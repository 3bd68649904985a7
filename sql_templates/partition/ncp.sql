{#- inputs: -#}
-- ncp: share of the range that a label covers, as weighted mean over attributes
-- source:  normalized certainty penalty, Ghinita 2007: for numbers and dates length of the
--          interval / length of the scale; for others 0 for a single value, else values / all
--          values
-- reads:   decided_classes, class_covers
-- returns: one row
--   cost   0 (as in the source) to 1 (nothing is left)
select
    sum(
        decided_classes.class_size * covers.weight * covers.range_share
        order by covers.class, covers.attribute_number
    )
        / sum(
            decided_classes.class_size * covers.weight
            order by covers.class, covers.attribute_number
        ) as cost
from sqlanon.class_covers as covers
inner join decided_classes on decided_classes.class_1 = covers.class
