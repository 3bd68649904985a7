-- judged_partition: whether the classes of a partition keep the promises
-- reads:   class_cells
-- returns: one row
--   classes, failing_classes        all classes, and those that break a promise   [classes]
--   smallest_class, failing_rows    size of the smallest class and of all failing ones   [persons]
--   rounds    rounds of cuts, if the cuts are made here
--   covers    true if every person who must be in a class is in one
with joint_values_1 as (
    -- the same in classes that are further divided by the other sensitive values
    select
        class,
        value_1 as value,
        count(distinct person) as value_count
    from sqlanon.class_cells
    group by class, value_1
),
joint_value_classes_1 as (
    select class, cast(sum(value_count) as bigint) as class_size
    from joint_values_1
    group by class
),
classes as (
    select
        class,
        count(distinct person) as class_size
    from sqlanon.class_cells
    group by class
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
        classes.class,
        classes.class_size,
        classes.class_size >= 5 as satisfied
    from classes as classes
),
l_diversity as (
    -- the promise holds for a class if it holds for each of its parts, whose rows share
    -- the other sensitive values, too
    select
        parts.class,
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
            class_values.class,
            count(*) as diversity,
            count(*) >= 2 as satisfied
        from joint_values_1 as class_values
        group by class_values.class
    ) as parts
    group by parts.class
),
judged_classes as (
    select
        classes.class,
        coalesce(k_anonymity.satisfied, false)
            and coalesce(l_diversity.satisfied, false) as satisfied
    from classes
    left join k_anonymity on k_anonymity.class = classes.class
    left join l_diversity on l_diversity.class = classes.class
)
select
    count(*) as classes,
    min(classes.class_size) as smallest_class,
    count(*) filter (where not judged_classes.satisfied) as failing_classes,
    coalesce(
        sum(classes.class_size) filter (where not judged_classes.satisfied),
        0
    ) as failing_rows,
    null as rounds,
    true as covers
from classes
inner join judged_classes on judged_classes.class = classes.class
