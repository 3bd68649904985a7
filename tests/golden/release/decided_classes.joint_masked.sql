-- decided_classes: the equivalence classes of the chosen node, and whether they are published
--   promise: every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise: every class holds at least 2 different values of diagnosis
--   promise: every class holds at least 3 different values of diagnosis
-- reads:   frequency_set, chosen_node
-- returns: one row per class
--   class_1 ..  the class: key & mask, the part of the packed key at the node's levels
--   class_size  source rows   [rows]
--   satisfied   true if every promise holds for the class; never null
--   published   true if its rows are published with their labels; all others with '*'
with nodes as (
    -- the chosen node: the masks of its levels, summed
    select
        0 as node,
        cast(sum(mask) filter (where word = 1) as bigint) as mask_1
    from sqlanon.chosen_node
),
class_values_1 as (
    -- rows of each class with each value of diagnosis
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.value_1 as value,
        cast(sum(frequency_set.row_count) as bigint) as value_count
    from nodes
    cross join sqlanon.frequency_set as frequency_set
    group by
        nodes.node,
        frequency_set.key_1 & nodes.mask_1,
        frequency_set.value_1
),
joint_values_1 as (
    -- the same in classes that are further divided by the other sensitive values
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.value_2,
        frequency_set.value_1 as value,
        cast(sum(frequency_set.row_count) as bigint) as value_count
    from nodes
    cross join sqlanon.frequency_set as frequency_set
    group by
        nodes.node,
        frequency_set.key_1 & nodes.mask_1,
        frequency_set.value_1,
        frequency_set.value_2
),
joint_value_classes_1 as (
    select
        node, class_1, value_2,
        cast(sum(value_count) as bigint) as class_size
    from joint_values_1
    group by node, class_1, value_2
),
classes as (
    select
        node, class_1,
        cast(sum(value_count) as bigint) as class_size
    from class_values_1
    group by node, class_1
),
k_anonymity as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.node,
        classes.class_1,
        classes.class_size,
        classes.class_size >= 5 as satisfied
    from classes as classes
),
l_diversity_2 as (
    -- the promise holds for a class if it holds for each of its parts, whose rows share
    -- the other sensitive values, too
    select
        parts.node,
        parts.class_1,
        min(parts.diversity) as diversity,
        bool_and(parts.satisfied) as satisfied
    from (
        -- l_diversity_distinct: every class holds at least 2 different values of diagnosis
        -- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
        -- reads:   joint_values_1, how often each value of diagnosis occurs in each class
        -- returns: one row per equivalence class
        --   diversity   different values   [values]
        --   satisfied   diversity >= 2; never null
        -- nulls:   a missing value is a value of its own
        select
            class_values.node,
            class_values.class_1,
            class_values.value_2,
            count(*) as diversity,
            count(*) >= 2 as satisfied
        from joint_values_1 as class_values
        group by class_values.node, class_values.class_1, class_values.value_2
    ) as parts
    group by parts.node, parts.class_1
),
l_diversity_3 as (
    -- l_diversity_distinct: every class holds at least 3 different values of diagnosis
    -- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
    -- reads:   class_values_1, how often each value of diagnosis occurs in each class
    -- returns: one row per equivalence class
    --   diversity   different values   [values]
    --   satisfied   diversity >= 3; never null
    -- nulls:   a missing value is a value of its own
    select
        class_values.node,
        class_values.class_1,
        count(*) as diversity,
        count(*) >= 3 as satisfied
    from class_values_1 as class_values
    group by class_values.node, class_values.class_1
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    select
        classes.node,
        classes.class_1,
        classes.class_size,
        k_anonymity.satisfied
            and l_diversity_2.satisfied
            and l_diversity_3.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
    inner join l_diversity_2
        on l_diversity_2.node = classes.node
        and l_diversity_2.class_1 = classes.class_1
    inner join l_diversity_3
        on l_diversity_3.node = classes.node
        and l_diversity_3.class_1 = classes.class_1
),
ranked_classes as (
    -- the smallest satisfied class of each node comes first
    select
        *,
        satisfied and row_number() over (
            partition by node
            order by satisfied desc, class_size, class_1
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
    inner join failing_nodes on failing_nodes.node = ranked_classes.node
    where not ranked_classes.satisfied or ranked_classes.is_smallest

    group by ranked_classes.node, class_values.value
),
star_joint_values_1 as (
    -- how often each value of diagnosis occurs in the class of '*'
    select
        ranked_classes.node,
        0 as added_classes,
        joint_values.value_2,
        joint_values.value,
        cast(sum(joint_values.value_count) as bigint) as value_count
    from ranked_classes
    inner join joint_values_1 as joint_values
        on joint_values.node = ranked_classes.node
        and joint_values.class_1 = ranked_classes.class_1
    where not ranked_classes.satisfied

    group by ranked_classes.node, joint_values.value_2, joint_values.value
    union all
    select
        ranked_classes.node,
        1 as added_classes,
        joint_values.value_2,
        joint_values.value,
        cast(sum(joint_values.value_count) as bigint) as value_count
    from ranked_classes
    inner join joint_values_1 as joint_values
        on joint_values.node = ranked_classes.node
        and joint_values.class_1 = ranked_classes.class_1
    inner join failing_nodes on failing_nodes.node = ranked_classes.node
    where not ranked_classes.satisfied or ranked_classes.is_smallest

    group by ranked_classes.node, joint_values.value_2, joint_values.value
),
joint_star_classes_1 as (
    select node, added_classes, value_2, cast(sum(value_count) as bigint) as class_size
    from star_joint_values_1
    group by node, added_classes, value_2
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
star_l_diversity_2 as (
    -- the promise holds for a class if it holds for each of its parts, whose rows share
    -- the other sensitive values, too
    select
        parts.node,
        parts.added_classes,
        min(parts.diversity) as diversity,
        bool_and(parts.satisfied) as satisfied
    from (
        -- l_diversity_distinct: every class holds at least 2 different values of diagnosis
        -- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
        -- reads:   star_joint_values_1, how often each value of diagnosis occurs in each
        --   class
        -- returns: one row per equivalence class
        --   diversity   different values   [values]
        --   satisfied   diversity >= 2; never null
        -- nulls:   a missing value is a value of its own
        select
            class_values.node,
            class_values.added_classes,
            class_values.value_2,
            count(*) as diversity,
            count(*) >= 2 as satisfied
        from star_joint_values_1 as class_values
        group by
            class_values.node,
            class_values.added_classes,
            class_values.value_2
    ) as parts
    group by parts.node, parts.added_classes
),
star_l_diversity_3 as (
    -- l_diversity_distinct: every class holds at least 3 different values of diagnosis
    -- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
    -- reads:   star_class_values_1, how often each value of diagnosis occurs in each
    --   class
    -- returns: one row per equivalence class
    --   diversity   different values   [values]
    --   satisfied   diversity >= 3; never null
    -- nulls:   a missing value is a value of its own
    select
        class_values.node,
        class_values.added_classes,
        count(*) as diversity,
        count(*) >= 3 as satisfied
    from star_class_values_1 as class_values
    group by class_values.node, class_values.added_classes
),
star_choices as (
    select
        star_k_anonymity.node,
        min(star_k_anonymity.added_classes) as added_classes
    from star_k_anonymity
    inner join star_l_diversity_2
        on star_l_diversity_2.node = star_k_anonymity.node
        and star_l_diversity_2.added_classes = star_k_anonymity.added_classes
    inner join star_l_diversity_3
        on star_l_diversity_3.node = star_k_anonymity.node
        and star_l_diversity_3.added_classes = star_k_anonymity.added_classes
    where star_k_anonymity.satisfied
        and star_l_diversity_2.satisfied
        and star_l_diversity_3.satisfied
    group by star_k_anonymity.node
),
decided_classes as (
    -- a node for whose '*' class the models do not hold publishes nothing
    select
        ranked_classes.node,
        ranked_classes.class_1,
        ranked_classes.class_size,
        ranked_classes.satisfied,
        ranked_classes.satisfied
        and (failing_nodes.node is null or star_choices.node is not null)
        and not (ranked_classes.is_smallest and coalesce(star_choices.added_classes, 0) = 1)
            as published
    from ranked_classes
    left join failing_nodes on failing_nodes.node = ranked_classes.node
    left join star_choices on star_choices.node = ranked_classes.node
)
select
    class_1,
    class_size,
    satisfied,
    published
from decided_classes
