-- attack_of_membership_9_cells: persons by the classes that they fit
-- reads:   sqlanon.overlapping_sizes, overlapping_classes
-- returns: one row per combination of classes that some person fits
--   classes        numbers of the classes, separated by commas
--   person_count   persons who fit just these
select person_classes.classes, cast(sum(person_classes.person_count) as bigint) as person_count
from (
    select
        located.person,
        max(located.person_count) as person_count,
        string_agg(classes.class_number, ',' order by classes.class_number) as classes
    from sqlanon.overlapping_classes as located
    inner join sqlanon.overlapping_sizes as classes
        on classes.age is not distinct from located.age
        and classes.zip is not distinct from located.zip
    group by located.person
) as person_classes
group by person_classes.classes
order by person_classes.classes
