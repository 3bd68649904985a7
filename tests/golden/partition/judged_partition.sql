-- judged_partition: whether the classes of a partition keep the promises
-- reads:   class_cells
-- returns: one row
--   classes, failing_classes        all classes, and those that break a promise   [classes]
--   smallest_class, failing_rows    size of the smallest class and of all failing ones   [rows]
--   rounds    rounds of cuts, if the cuts are made here
--   covers    true if every person who must be in a class is in one
with classes as (
    -- rows of each class
    select class, cast(sum(row_count) as bigint) as class_size
    from sqlanon.class_cells
    group by class
),
k_anonymity as (
    -- one row per class: whether it holds k-anonymity
    select class, class_size, class_size >= 5 as satisfied
    from classes
),
judged_classes as (
    -- one row per class: whether it holds every promise
    select
        classes.class,
        coalesce(k_anonymity.satisfied, false) as satisfied
    from classes
    left join k_anonymity on k_anonymity.class = classes.class
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
