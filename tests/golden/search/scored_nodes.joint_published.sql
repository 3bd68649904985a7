-- scored_nodes: what each of 2 lattice nodes would publish and suppress
-- reads:   frequency_set
-- returns: one row per node
--   class_count      classes of the publication                     [classes]
--   published_rows   rows of published classes                      [rows]
--   suppressed_rows  all other rows                                 [rows]
--   failing_rows     rows of classes for which a model fails        [rows]
--   all_classes      classes before suppression                     [classes]
--   unpublishable_rows    lower bound on the rows that no finer node can publish   [rows]
--   failing_published_classes   published classes that fail relative to the published rows
--                               [classes]
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
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by
        key_1 & 120,
        value_of_diagnosis,
        value_of_salary
),
node_rows as not materialized (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.value_of_diagnosis,
        frequency_set.value_of_salary,
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
joint_values_of_diagnosis as (
    -- rows of each class with each value of diagnosis
    -- in classes that are further divided by the other sensitive values
    select
        node, class_1, value_of_salary, value_of_diagnosis as value,
        cast(sum(row_count) as bigint) as value_count
    from node_rows
    group by node, class_1, value_of_salary, value_of_diagnosis
),
joint_classes_of_diagnosis as (
    select node, class_1, value_of_salary, cast(sum(value_count) as bigint) as class_size
    from joint_values_of_diagnosis
    group by node, class_1, value_of_salary
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
        parts.node, parts.class_1,
        min(parts.diversity) as diversity,
        cast(sum(parts.excess_rows) as bigint) as excess_rows,
        bool_and(parts.satisfied) as satisfied
    from (
        select
            class_values.node, class_values.class_1, class_values.value_of_salary,
            count(*) as diversity,
            case
                when count(*) >= 2 then 0
                else cast(sum(class_values.value_count) as bigint)
            end as excess_rows,
            count(*) >= 2 as satisfied
        from joint_values_of_diagnosis as class_values
        group by class_values.node, class_values.class_1, class_values.value_of_salary
    ) as parts
    group by parts.node, parts.class_1
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
    select
        class_distances.node, class_distances.class_1,
        class_distances.distance,
        case when class_distances.distance <= 0.2 + 0.000000001 then 0
            else greatest(
                1,
                ceil(
                    class_distances.class_size
                        * (class_distances.distance - 0.2 - 0.000000001)
                        / (1 - 0.2)
                        - 0.000001
                )
            )
        end as excess_rows,
        class_distances.distance <= 0.2 + 0.000000001 as satisfied
    from class_distances
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    -- unpublishable_rows: lower bound on the rows that no finer node can publish
    select
        classes.node,
        classes.class_1,
        classes.class_size,
        greatest(
            k_anonymity.excess_rows,
            l_diversity.excess_rows,
            t_closeness.excess_rows
        ) as unpublishable_rows,
        k_anonymity.satisfied
            and l_diversity.satisfied
            and t_closeness.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
    inner join l_diversity
        on l_diversity.node = classes.node
        and l_diversity.class_1 = classes.class_1
    inner join t_closeness
        on t_closeness.node = classes.node
        and t_closeness.class_1 = classes.class_1
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
kept_classes as (
    select node, class_1, class_size
    from decided_classes
    where published
),
kept_class_values_of_diagnosis as (
    select counted.*
    from class_values_of_diagnosis as counted
    inner join kept_classes
        on kept_classes.node = counted.node
        and kept_classes.class_1 = counted.class_1
),
kept_table_values_of_diagnosis as (
    -- the published values of diagnosis, per node
    select
        counted.node,
        table_values.value,
        table_values.text,
        table_values.number,
        table_values.place,
        cast(sum(counted.value_count) as bigint) as row_count,
        cast(sum(sum(counted.value_count)) over (partition by counted.node) as bigint) as table_size
    from kept_class_values_of_diagnosis as counted
    inner join sqlanon.table_values_of_diagnosis as table_values
        on table_values.value = counted.value
    group by
        counted.node,
        table_values.value,
        table_values.text,
        table_values.number,
        table_values.place
),
kept_t_closeness as (
    with table_shares as (
        select
            table_values.node,
            table_values.value,
            table_values.row_count / cast(table_values.table_size as double) as share
        from kept_table_values_of_diagnosis as table_values
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
        from kept_class_values_of_diagnosis as class_values
        inner join table_shares
            on table_shares.value = class_values.value
            and table_shares.node = class_values.node
        inner join kept_classes as classes
            on classes.node is not distinct from class_values.node
            and classes.class_1 is not distinct from class_values.class_1
        group by classes.node, classes.class_1, classes.class_size
    )
    select
        class_distances.node, class_distances.class_1,
        class_distances.distance,
        class_distances.distance <= 0.2 + 0.000000001 as satisfied
    from class_distances
),
failing_published_classes as (
    select node from kept_t_closeness where not satisfied
),
failing_published_nodes as (
    select node, count(*) as class_count
    from failing_published_classes
    group by node
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
    ) as unpublishable_rows,
    coalesce(min(failing_published_nodes.class_count), 0) as failing_published_classes
from decided_classes
left join failing_published_nodes on failing_published_nodes.node = decided_classes.node
group by decided_classes.node
order by decided_classes.node
