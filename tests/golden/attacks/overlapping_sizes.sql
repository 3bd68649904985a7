-- overlapping_sizes: classes, and how many persons fit each; a person may fit several
-- reads:   sqlanon.published_equivalence_classes, overlapping_classes
-- returns: one row per class
--   class_size        rows of the class   [rows]
--   population_size   persons of the population who fit its labels
--   class_number      number of the class, from 1
-- nulls:   a missing value is a value of its own
select
    classes.age, classes.zip,
    classes.class_size,
    coalesce(fitting.person_count, 0) as population_size,
    row_number() over (
        order by
            classes.age nulls first,
            classes.zip nulls first
    ) as class_number
from sqlanon.published_equivalence_classes as classes
left join (
    select
        located.age, located.zip,
        cast(sum(located.person_count) as bigint) as person_count
    from sqlanon.overlapping_classes as located
    group by located.age, located.zip
) as fitting
    on fitting.age is not distinct from classes.age
    and fitting.zip is not distinct from classes.zip
