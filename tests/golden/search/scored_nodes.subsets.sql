-- scored_nodes: what each of 1 lattice nodes would publish and suppress
-- reads:   frequency_sets_of_2
-- returns: one row per node
--   class_count      classes of the publication                     [classes]
--   published_rows   rows of published classes                      [rows]
--   suppressed_rows  all other rows                                 [rows]
--   failing_rows     rows of classes for which a model fails        [rows]
--   all_classes      classes before suppression                     [classes]
--   unpublishable_rows    lower bound on the rows that no finer node can publish   [rows]
with nodes (
    node, subset, mask_1
) as (
    values
        (0, 0, 120)
),
node_rows as not materialized (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.row_count
    from nodes
    inner join sqlanon.frequency_sets_of_2 as frequency_set on frequency_set.subset = nodes.subset
),
classes as (
    -- rows of each class
    select node, class_1, cast(sum(row_count) as bigint) as class_size
    from node_rows
    group by node, class_1
),
k_anonymity_1 as (
    select
        classes.node, classes.class_1,
        classes.class_size,
        case
            when classes.class_size >= 2 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 2 as satisfied
    from classes
),
k_anonymity_2 as (
    select
        classes.node, classes.class_1,
        classes.class_size,
        case
            when classes.class_size >= 3 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 3 as satisfied
    from classes
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    -- unpublishable_rows: lower bound on the rows that no finer node can publish
    select
        classes.node,
        classes.class_1,
        classes.class_size,
        greatest(
            k_anonymity_1.excess_rows,
            k_anonymity_2.excess_rows
        ) as unpublishable_rows,
        k_anonymity_1.satisfied
            and k_anonymity_2.satisfied as satisfied
    from classes
    inner join k_anonymity_1
        on k_anonymity_1.node = classes.node
        and k_anonymity_1.class_1 = classes.class_1
    inner join k_anonymity_2
        on k_anonymity_2.node = classes.node
        and k_anonymity_2.class_1 = classes.class_1
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
)
select
    decided_classes.node,
    count(*) filter (where published) as class_count,
    cast(coalesce(sum(class_size) filter (where published), 0) as bigint) as published_rows,
    cast(coalesce(sum(class_size) filter (where not published), 0) as bigint) as suppressed_rows,
    cast(coalesce(sum(class_size) filter (where not satisfied), 0) as bigint) as failing_rows,
    count(*) as all_classes,
    cast(
        sum(unpublishable_rows) as bigint
    ) as unpublishable_rows
from decided_classes
group by decided_classes.node
order by decided_classes.node
