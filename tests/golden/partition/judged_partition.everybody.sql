-- judged_partition: whether the classes of a partition keep the promises
-- reads:   class_cells, cells
-- returns: one row
--   classes, failing_classes        all classes, and those that break a promise   [classes]
--   smallest_class, failing_rows    size of the smallest class and of all failing ones   [rows]
--   rounds    rounds of cuts, if the cuts are made here
--   covers    true if every person who must be in a class is in one
with classes as (
    -- rows of each class
    select
        class, cast(sum(population_count) as bigint) as population_size,
        cast(sum(row_count) as bigint) as class_size
    from sqlanon.class_cells
    group by class
    having sum(row_count) > 0
),
delta_presence as (
    -- one row per class: whether it holds delta-presence
    select
        classes.class,
        case
            when classes.population_size > 0
                then cast(classes.class_size as double) / classes.population_size
            else cast('infinity' as double)
        end as presence,
        classes.class_size >= 0.1 * classes.population_size
            and classes.class_size <= 0.5 * classes.population_size as satisfied
    from classes
),
judged_classes as (
    -- one row per class: whether it holds every promise
    select
        classes.class,
        coalesce(delta_presence.satisfied, false) as satisfied
    from classes
    left join delta_presence on delta_presence.class = classes.class
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
    sum(classes.population_size) = (select sum(population_count) from sqlanon.cells) as covers
from classes
inner join judged_classes on judged_classes.class = classes.class
