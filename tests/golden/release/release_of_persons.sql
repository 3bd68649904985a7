-- release: what plan publishes of it's.csv, in the order of the published values
--   the "age"              intervals of width 2.5, such as [1.0, 3.5)
--   sex, diagnosis, salary as in the source
--   persons                the number of persons of the class
--   not published          visitor (an identifier); rows of classes that break a promise
--   counted                persons, by visitor, and not rows
--   decides                which rows are kept: the "age", sex, diagnosis, visitor
--   promise                every published row shares its quasi-identifiers with at least 4 other
--                          persons (k = 5)
--   promise                in every class the values of diagnosis are spread as in the whole table,
--                          to a distance of 0.2 (equal)
with class_persons as (
    -- the persons of each class, whose keys are not published
    select place, count(distinct visitor) as persons
    from sqlanon.person_rows
    group by place
)
select
    person_rows."the ""age""", person_rows.sex, person_rows.diagnosis, person_rows.salary,
    class_persons.persons
from sqlanon.person_rows
inner join class_persons
    on class_persons.place is not distinct from person_rows.place
order by person_rows.place, person_rows.diagnosis, person_rows.salary
