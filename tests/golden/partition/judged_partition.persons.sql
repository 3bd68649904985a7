-- judged_partition: whether the classes of a partition keep the promises
-- reads:   class_cells
-- returns: one row
--   classes, failing_classes        all classes, and those that break a promise   [classes]
--   smallest_class, failing_rows    size of the smallest class and of all failing ones   [persons]
--   rounds    rounds of cuts, if the cuts are made here
--   covers    true if every person who must be in a class is in one
with joint_values_of_diagnosis as (
    -- persons of each class with each value of diagnosis
    -- in classes that are further divided by the other sensitive values
    select class, value_of_diagnosis as value, count(distinct person) as value_count
    from sqlanon.class_cells
    group by class, value_of_diagnosis
),
joint_classes_of_diagnosis as (
    select class, count(distinct person) as class_size
    from sqlanon.class_cells
    group by class
),
classes as (
    -- persons of each class
    select class, count(distinct person) as class_size
    from sqlanon.class_cells
    group by class
),
k_anonymity as (
    -- one row per class: whether it holds k-anonymity
    select class, class_size, class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    -- one row per class: whether it holds l-diversity
    select
        parts.class,
        min(parts.diversity) as diversity,
        bool_and(parts.satisfied) as satisfied
    from (
        select
            class_values.class,
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
            on classes.class is not distinct from class_values.class
        group by class_values.class
    ) as parts
    group by parts.class
),
judged_classes as (
    -- one row per class: whether it holds every promise
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
