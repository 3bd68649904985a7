-- scored_nodes: what each of 1 lattice nodes would publish and suppress
-- reads:   frequency_set
-- returns: one row per node
--   class_count      classes of the publication                     [classes]
--   published_rows   rows of published classes                      [rows]
--   suppressed_rows  all other rows                                 [rows]
--   failing_rows     rows of classes for which a model fails        [rows]
--   all_classes      classes before suppression                     [classes]
--   unpublishable_rows    lower bound on the rows that no finer node can publish   [rows]
with nodes (
    node, mask_1
) as (
    values
        (0, 130)
),
histories as (
    -- what joins the rows of a person: their number, and two sums of hashes of their labels; sums,
    -- so that the order of the rows does not matter and equal rows count as often as they occur
    select
        nodes.node,
        frequency_set.person,
        cast(sum(frequency_set.row_count) as bigint) as class_1,
        sum(
            frequency_set.row_count
                * cast(hash('2', frequency_set.key_1 & nodes.mask_1) as hugeint)
        ) as class_2,
        sum(
            frequency_set.row_count
                * cast(hash('3', frequency_set.key_1 & nodes.mask_1) as hugeint)
        ) as class_3
    from nodes
    cross join sqlanon.frequency_set as frequency_set
    group by nodes.node, frequency_set.person
),
node_rows as not materialized (
    -- the rows of each person have the class of the history
    select
        nodes.node,
        histories.class_1,
        histories.class_2,
        histories.class_3,
        frequency_set.value_of_diagnosis,
        frequency_set.person,
        frequency_set.row_count
    from nodes
    cross join sqlanon.frequency_set as frequency_set
    inner join histories on histories.node = nodes.node and histories.person = frequency_set.person
),
class_values_of_diagnosis as (
    -- persons of each class with each value of diagnosis
    select
        node, class_1, class_2, class_3, value_of_diagnosis as value,
        count(distinct person) as value_count
    from node_rows
    group by node, class_1, class_2, class_3, value_of_diagnosis
),
classes as (
    -- persons of each class
    select
        node, class_1, class_2, class_3, count(*) as class_size,
        cast(sum(class_1) as bigint) as row_count
    from histories
    group by node, class_1, class_2, class_3
),
k_anonymity as (
    select
        classes.node, classes.class_1, classes.class_2, classes.class_3,
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
        class_values.node, class_values.class_1, class_values.class_2, class_values.class_3,
        least(
            count(*),
            min(classes.class_size - class_values.value_count) + 1
        ) as diversity,
        case
            when least(
            count(*),
            min(classes.class_size - class_values.value_count) + 1
        ) >= 2 then 0
            else cast(sum(class_values.value_count) as bigint)
        end as excess_rows,
        least(
            count(*),
            min(classes.class_size - class_values.value_count) + 1
        ) >= 2 as satisfied
    from class_values_of_diagnosis as class_values
    inner join classes
        on classes.node is not distinct from class_values.node
        and classes.class_1 is not distinct from class_values.class_1
        and classes.class_2 is not distinct from class_values.class_2
        and classes.class_3 is not distinct from class_values.class_3
    group by class_values.node, class_values.class_1, class_values.class_2, class_values.class_3
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    -- unpublishable_rows: lower bound on the rows that no finer node can publish
    select
        classes.node,
        classes.class_1,
        classes.class_2,
        classes.class_3,
        classes.row_count as class_size,
        classes.class_1 * greatest(
            k_anonymity.excess_rows,
            l_diversity.excess_rows
        ) as unpublishable_rows,
        k_anonymity.satisfied
            and l_diversity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
        and k_anonymity.class_2 = classes.class_2
        and k_anonymity.class_3 = classes.class_3
    inner join l_diversity
        on l_diversity.node = classes.node
        and l_diversity.class_1 = classes.class_1
        and l_diversity.class_2 = classes.class_2
        and l_diversity.class_3 = classes.class_3
),
decided_classes as (
    -- all rows of failing classes are suppressed
    select
        node,
        class_1,
        class_2,
        class_3,
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
