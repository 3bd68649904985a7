-- valued_nodes: the information loss of each satisfying node by height
-- reads:   frequency_set, generalized_values, level_codes, level_measures
-- returns: one row per node
--   cost         value of the measure, including suppressed rows; lower is better
--   lower_bound  no node above this one has a lower cost
with nodes as (
    select * from sqlanon.satisfying_nodes
),
node_rows as not materialized (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.row_count
    from nodes
    cross join sqlanon.frequency_set as frequency_set
),
classes as (
    -- rows of each class
    select node, class_1, cast(sum(row_count) as bigint) as class_size
    from node_rows
    group by node, class_1
),
k_anonymity as (
    select node, class_1, class_size, class_size >= 5 as satisfied
    from classes
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    select
        classes.node,
        classes.class_1,
        classes.class_size,
        k_anonymity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
),
decided_classes as (
    -- all rows of failing classes are suppressed
    select
        node,
        class_1,
        class_size,
        satisfied,
        satisfied as published
    from judged_classes
),
node_levels as (
    select node, 'the "age"' as attribute, level_1 as level from nodes
    union all select node, 'sex' as attribute, level_2 as level from nodes
),
valued_nodes as (
    -- height: sum of the levels of the node (Samarati 2001)
    -- reads:   node_levels
    -- returns: one row per node
    --   cost   levels, summed over the quasi-identifiers   [levels]
    select
        node,
        cast(sum(level) as bigint) as cost,
        cast(sum(level) as bigint) as lower_bound
    from node_levels
    group by node
)
select node, cost, lower_bound
from valued_nodes
order by node
