{#- inputs: -#}
-- column_losses: share of the values that a label covers, for each quasi-identifier
-- source:  Ghinita 2007, by values: 0 for a single value, else values / all values
-- reads:   decided_classes, class_covers
-- returns: one row
--   cost   by quasi-identifier, in their order, 0 (as in the source) to 1 (nothing is left)
with column_losses as (
    select
        covers.attribute_number,
        sum(decided_classes.class_size * covers.value_share order by covers.class)
            / sum(decided_classes.class_size) as loss
    from sqlanon.class_covers as covers
    inner join decided_classes on decided_classes.class_1 = covers.class
    group by covers.attribute_number
)
select list(loss order by attribute_number) as cost
from column_losses
