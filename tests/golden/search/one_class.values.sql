-- one_class: the promises for all rows as one equivalence class, the most general publication;
--   a promise that fails here and is monotone under generalization fails for every publication
-- reads:   frequency_set
-- returns: one row; for each promise its measure, whether it holds, and a lower bound on the rows
--   that no publication can keep (null if the promise gives none)
with nodes (
    node, mask_1
) as (
    values
        (0, 0)
),
rolled_up_set as (
    -- all nodes are at or above this one, so its coarser frequency set is sufficient
    select
        key_1 & 0 as key_1,
        value_of_diagnosis,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by
        key_1 & 0,
        value_of_diagnosis
),
node_rows as not materialized (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.value_of_diagnosis,
        frequency_set.row_count
    from nodes
    cross join rolled_up_set as frequency_set
),
class_values_of_diagnosis as (
    -- rows of each class with each value of diagnosis
    select node, class_1, value_of_diagnosis as value, cast(sum(row_count) as bigint) as value_count
    from node_rows
    group by node, class_1, value_of_diagnosis
),
classes as (
    -- rows of each class
    select node, class_1, cast(sum(value_count) as bigint) as class_size
    from class_values_of_diagnosis
    group by node, class_1
),
k_anonymity as (
    select
        classes.node, classes.class_1,
        classes.class_size,
        case
            when classes.class_size >= 5 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    select
        class_values.node, class_values.class_1,
        count(*) as diversity,
        case
            when count(*) >= 3 then 0
            else cast(sum(class_values.value_count) as bigint)
        end as excess_rows,
        count(*) >= 3 as satisfied
    from class_values_of_diagnosis as class_values
    group by class_values.node, class_values.class_1
)
select
    k_anonymity.class_size,
    k_anonymity.satisfied,
    k_anonymity.excess_rows,
    l_diversity.diversity,
    l_diversity.satisfied,
    l_diversity.excess_rows
from k_anonymity cross join l_diversity
