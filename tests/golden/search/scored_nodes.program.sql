-- scored_nodes: what each lattice node would publish and suppress
-- reads:   frequency_set
-- returns: one row per node
--   class_count      classes of the publication                     [classes]
--   published_rows   rows of published classes                      [rows]
--   suppressed_rows  all other rows                                 [rows]
--   failing_rows     rows of classes for which a model fails        [rows]
--   all_classes      classes before suppression                     [classes]
with nodes as (
    select * from sqlanon.lattice_nodes
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
)
select
    decided_classes.node,
    count(*) filter (where published) as class_count,
    cast(coalesce(sum(class_size) filter (where published), 0) as bigint) as published_rows,
    cast(coalesce(sum(class_size) filter (where not published), 0) as bigint) as suppressed_rows,
    cast(coalesce(sum(class_size) filter (where not satisfied), 0) as bigint) as failing_rows,
    count(*) as all_classes
from decided_classes
group by decided_classes.node
order by decided_classes.node
