-- scored_nodes: what each of 2 lattice nodes would publish and suppress
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
        (0, 120),
        (1, 20)
),
rolled_up_set as (
    -- all nodes are at or above this one, so its coarser frequency set is sufficient
    select
        key_1 & 120 as key_1,
        value_of_diagnosis,
        value_of_salary,
        person,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by
        key_1 & 120,
        value_of_diagnosis,
        value_of_salary,
        person
),
node_rows as not materialized (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.value_of_diagnosis,
        frequency_set.value_of_salary,
        frequency_set.person,
        frequency_set.row_count
    from nodes
    cross join rolled_up_set as frequency_set
),
class_values_of_diagnosis as (
    -- persons of each class with each value of diagnosis
    select node, class_1, value_of_diagnosis as value, count(distinct person) as value_count
    from node_rows
    group by node, class_1, value_of_diagnosis
),
joint_values_of_diagnosis as (
    -- persons of each class with each value of diagnosis
    -- in classes that are further divided by the other sensitive values
    select
        node, class_1, value_of_salary, value_of_diagnosis as value,
        count(distinct person) as value_count
    from node_rows
    group by node, class_1, value_of_salary, value_of_diagnosis
),
joint_classes_of_diagnosis as (
    select node, class_1, value_of_salary, count(distinct person) as class_size
    from node_rows
    group by node, class_1, value_of_salary
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
t_closeness as (
    with table_shares as (
        select
            table_values.value,
            table_values.row_count / cast(table_values.table_size as double) as share
        from sqlanon.table_values_of_diagnosis as table_values
    ),
    class_distances as (
        select
            classes.node, classes.class_1,
            classes.class_size,
            sum(
                greatest(
                    class_values.value_count / cast(classes.class_size as double)
                        - table_shares.share,
                    0
                )
            ) as distance
        from class_values_of_diagnosis as class_values
        inner join table_shares
            on table_shares.value = class_values.value
        inner join classes
            on classes.node is not distinct from class_values.node
            and classes.class_1 is not distinct from class_values.class_1
        group by classes.node, classes.class_1, classes.class_size
    )
    ,
    table_totals as (
        select
            sum(table_values.row_count) > max(table_values.table_size) as has_several
        from sqlanon.table_values_of_diagnosis as table_values
    ),
    class_totals as (
        -- has_several: persons with several values are there, so that shares sum to more than 1
        select
            classes.node, classes.class_1,
            bool_or(table_totals.has_several)
                or sum(class_values.value_count) > classes.class_size as has_several
        from class_values_of_diagnosis as class_values
        inner join classes
            on classes.node is not distinct from class_values.node
            and classes.class_1 is not distinct from class_values.class_1
        cross join table_totals
        group by classes.node, classes.class_1, classes.class_size
    ),
    judged_distances as (
        select
            class_distances.node, class_distances.class_1,
            class_distances.class_size,
            case
                when class_totals.has_several then cast('infinity' as double)
                else class_distances.distance
            end as distance
        from class_distances
        inner join class_totals
            on class_totals.node is not distinct from class_distances.node
            and class_totals.class_1 is not distinct from class_distances.class_1
    )
    select
        judged_distances.node, judged_distances.class_1,
        judged_distances.distance,
        judged_distances.distance <= 0.2 + 0.000000001 as satisfied
    from judged_distances
),
l_diversity as (
    select
        parts.node, parts.class_1,
        min(parts.diversity) as diversity,
        bool_and(parts.satisfied) as satisfied
    from (
        select
            class_values.node, class_values.class_1, class_values.value_of_salary,
            least(
                count(*),
                min(classes.class_size - class_values.value_count) + 1
            ) as diversity,
            least(
                count(*),
                min(classes.class_size - class_values.value_count) + 1
            ) >= 2 as satisfied
        from joint_values_of_diagnosis as class_values
        inner join joint_classes_of_diagnosis as classes
            on classes.node is not distinct from class_values.node
            and classes.class_1 is not distinct from class_values.class_1
            and classes.value_of_salary is not distinct from class_values.value_of_salary
        group by class_values.node, class_values.class_1, class_values.value_of_salary
    ) as parts
    group by parts.node, parts.class_1
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    -- unpublishable_rows: lower bound on the rows that no finer node can publish
    select
        classes.node,
        classes.class_1,
        classes.row_count as class_size,
        k_anonymity.excess_rows as unpublishable_rows,
        k_anonymity.satisfied
            and t_closeness.satisfied
            and l_diversity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
    inner join t_closeness
        on t_closeness.node = classes.node
        and t_closeness.class_1 = classes.class_1
    inner join l_diversity
        on l_diversity.node = classes.node
        and l_diversity.class_1 = classes.class_1
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
