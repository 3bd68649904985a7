-- classification: rows whose diagnosis differs from the majority of their class (Iyengar 2002)
-- reads:   decided_classes, class_values_of_diagnosis
-- returns: one row per node
--   cost   (suppressed rows + minority rows of published classes) / 1000   [0 to 1]
-- nulls:   a missing diagnosis is a label of its own
with majorities as (
    select
        node,
        class_1,
        max(value_count) as majority_rows
    from class_values_of_diagnosis
    group by
        node, class_1
)
select
    decided_classes.node,
    cast(sum(
        case
            when decided_classes.published
                then decided_classes.class_size - majorities.majority_rows
            else decided_classes.class_size
        end
    ) as double) / 1000 as cost,
    cast(sum(decided_classes.class_size - majorities.majority_rows) as double)
        / 1000 as lower_bound
from decided_classes
inner join majorities
    on majorities.node = decided_classes.node
    and majorities.class_1 = decided_classes.class_1
group by decided_classes.node
