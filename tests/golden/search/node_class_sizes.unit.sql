-- node_class_sizes: how large the classes are that a lattice node publishes
-- reads:   frequency_set
-- returns: one row
--   class_count      published classes   [classes]
--   smallest_class   size of the smallest one; null if there is none   [persons]
--   class_sizes      sum of their sizes; null if there is none   [persons]
with nodes (
    node, mask_1
) as (
    values
        (0, 120)
),
rolled_up_set as (
    -- all nodes are at or above this one, so its coarser frequency set is sufficient
    select
        key_1 & 120 as key_1,
        person,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by
        key_1 & 120,
        person
),
node_rows as not materialized (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.person,
        frequency_set.row_count
    from nodes
    cross join rolled_up_set as frequency_set
),
classes as (
    -- persons of each class
    select
        node, class_1, count(distinct person) as class_size,
        cast(sum(row_count) as bigint) as row_count
    from node_rows
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
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    -- unpublishable_rows: lower bound on the rows that no finer node can publish
    select
        classes.node,
        classes.class_1,
        classes.row_count as class_size,
        k_anonymity.excess_rows as unpublishable_rows,
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
        unpublishable_rows,
        satisfied as published
    from judged_classes
),
published_classes as (
    select classes.class_size
    from classes
    inner join decided_classes
        on classes.node = decided_classes.node
        and classes.class_1 = decided_classes.class_1
    where decided_classes.published
)

select
    count(*) as class_count,
    min(class_size) as smallest_class,
    cast(sum(class_size) as bigint) as class_sizes
from published_classes
