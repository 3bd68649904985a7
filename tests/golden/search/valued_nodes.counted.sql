-- valued_nodes: the information loss of each of 2 lattice nodes by classification
-- reads:   frequency_set, generalized_values, level_codes, level_measures
-- returns: one row per node
--   cost         value of the measure, including suppressed rows; lower is better
--   lower_bound  no node above this one has a lower cost
with nodes (
    node, mask_1, mask_2
) as (
    values
        (0, 11222220, 100000000),
        (1, 0, 0)
),
rolled_up_set as (
    -- all nodes are at or above this one, so its coarser frequency set is sufficient
    select
        key_1 & 11222220 as key_1,
        key_2 & 100000000 as key_2,
        value_1,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by
        key_1 & 11222220,
        key_2 & 100000000,
        value_1
),
class_values_1 as (
    -- rows of each class with each value of diagnosis
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.key_2 & nodes.mask_2 as class_2,
        frequency_set.value_1 as value,
        cast(sum(frequency_set.row_count) as bigint) as value_count
    from nodes
    cross join rolled_up_set as frequency_set
    group by
        nodes.node,
        frequency_set.key_1 & nodes.mask_1,
        frequency_set.key_2 & nodes.mask_2,
        frequency_set.value_1
),
classes as (
    select
        node, class_1, class_2,
        cast(sum(value_count) as bigint) as class_size
    from class_values_1
    group by node, class_1, class_2
),
k_anonymity as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    --   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.node,
        classes.class_1,
        classes.class_2,
        classes.class_size,
        case
            when classes.class_size >= 5 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 5 as satisfied
    from classes as classes
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    -- hopeless_rows: lower bound on the rows that no finer node can publish
    select
        classes.node,
        classes.class_1,
        classes.class_2,
        classes.class_size,
        k_anonymity.excess_rows as hopeless_rows,
        k_anonymity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
        and k_anonymity.class_2 = classes.class_2
),
ranked_classes as (
    -- the smallest satisfied class of each node comes first
    select
        *,
        satisfied and row_number() over (
            partition by node
            order by satisfied desc, class_size, class_1, class_2
        ) = 1 as is_smallest
    from judged_classes
),
failing_nodes as (
    select node
    from ranked_classes
    where not satisfied
    group by node
),
star_classes as (
    -- masked rows form one class of '*': the failing classes alone, or, if that class would
    -- fail, the failing classes and the smallest satisfied one (Sweeney 2002, step 4)
    select node, 0 as added_classes, cast(sum(class_size) as bigint) as class_size
    from ranked_classes
    where not satisfied
    group by node
    union all
    select node, 1, cast(sum(class_size) as bigint)
    from ranked_classes
    where not satisfied or is_smallest
    group by node
    having count(*) filter (where not satisfied) > 0
        and count(*) filter (where is_smallest) > 0
),
star_class_values_1 as (
    -- how often each value of diagnosis occurs in the class of '*'
    select
        ranked_classes.node,
        0 as added_classes,
        class_values.value,
        cast(sum(class_values.value_count) as bigint) as value_count
    from ranked_classes
    inner join class_values_1 as class_values
        on class_values.node = ranked_classes.node
        and class_values.class_1 = ranked_classes.class_1
        and class_values.class_2 = ranked_classes.class_2
    where not ranked_classes.satisfied

    group by ranked_classes.node, class_values.value
    union all
    select
        ranked_classes.node,
        1 as added_classes,
        class_values.value,
        cast(sum(class_values.value_count) as bigint) as value_count
    from ranked_classes
    inner join class_values_1 as class_values
        on class_values.node = ranked_classes.node
        and class_values.class_1 = ranked_classes.class_1
        and class_values.class_2 = ranked_classes.class_2
    inner join failing_nodes on failing_nodes.node = ranked_classes.node
    where not ranked_classes.satisfied or ranked_classes.is_smallest

    group by ranked_classes.node, class_values.value
),
star_k_anonymity as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   star_classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.node,
        classes.added_classes,
        classes.class_size,
        classes.class_size >= 5 as satisfied
    from star_classes as classes
),
star_choices as (
    select
        star_k_anonymity.node,
        min(star_k_anonymity.added_classes) as added_classes
    from star_k_anonymity
    where star_k_anonymity.satisfied
    group by star_k_anonymity.node
),
decided_classes as (
    -- a node for whose '*' class the models do not hold publishes nothing
    select
        ranked_classes.node,
        ranked_classes.class_1,
        ranked_classes.class_2,
        ranked_classes.class_size,
        ranked_classes.satisfied,
        ranked_classes.hopeless_rows,
        ranked_classes.satisfied
        and (failing_nodes.node is null or star_choices.node is not null)
        and not (ranked_classes.is_smallest and coalesce(star_choices.added_classes, 0) = 1)
            as published
    from ranked_classes
    left join failing_nodes on failing_nodes.node = ranked_classes.node
    left join star_choices on star_choices.node = ranked_classes.node
),
node_levels (node, attribute, level) as (
    values
        (0, 'the "age"', 1),
        (0, 'born', 2),
        (0, 'zip', 1),
        (0, 'select', 1),
        (0, 'longitude', 1),
        (0, 'tôwn', 1),
        (0, 'work', 0),
        (0, 'sex', 0),
        (1, 'the "age"', 3),
        (1, 'born', 4),
        (1, 'zip', 3),
        (1, 'select', 3),
        (1, 'longitude', 3),
        (1, 'tôwn', 2),
        (1, 'work', 1),
        (1, 'sex', 1)
),
valued_nodes as (
    -- classification: rows whose diagnosis differs from the majority of their class (Iyengar 2002)
    -- reads:   decided_classes, class_values_1
    -- returns: one row per node
    --   cost   (suppressed rows + minority rows of published classes) / 1000   [0 to 1]
    -- nulls:   a missing diagnosis is a label of its own
    with majorities as (
        select
            node,
            class_1,
            class_2,
            max(value_count) as majority_rows
        from class_values_1
        group by
            node, class_1, class_2
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
        and majorities.class_2 = decided_classes.class_2
    group by decided_classes.node
)
select node, cost, lower_bound
from valued_nodes
order by node
