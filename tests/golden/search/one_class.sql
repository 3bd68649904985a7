-- one_class: the promises for all rows as one equivalence class, the most general publication;
--   a promise that fails here and is monotone under generalization fails for every publication
-- reads:   frequency_set
-- returns: one row; for each promise its measure, whether it holds, and a lower bound on the rows
--   that no publication can keep (null if the promise gives none)
with nodes (
    node, mask_1, mask_2
) as (
    values
        (0, 0, 0)
),
rolled_up_set as (
    -- all nodes are at or above this one, so its coarser frequency set is sufficient
    select
        key_1 & 0 as key_1,
        key_2 & 0 as key_2,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by
        key_1 & 0,
        key_2 & 0
),
node_rows as not materialized (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.key_2 & nodes.mask_2 as class_2,
        frequency_set.row_count
    from nodes
    cross join rolled_up_set as frequency_set
),
classes as (
    -- rows of each class
    select node, class_1, class_2, cast(sum(row_count) as bigint) as class_size
    from node_rows
    group by node, class_1, class_2
),
k_anonymity as (
    select
        classes.node, classes.class_1, classes.class_2,
        classes.class_size,
        case
            when classes.class_size >= 5 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 5 as satisfied
    from classes
)
select
    k_anonymity.class_size,
    k_anonymity.satisfied,
    k_anonymity.excess_rows
from k_anonymity
