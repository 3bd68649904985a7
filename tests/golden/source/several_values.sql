-- several_values: how many persons have several values of diagnosis
-- reads:   source_combinations
-- returns: one row
--   persons       those with several values anywhere in the table
--   classes       the finest classes in which a person has several values
--   row_count     rows of these classes
with person_values as (
    -- the values of each person in each of the finest classes; a missing one is a value of its own
    select
        "the ""age""" as key_1,
        sex as key_2,
        counted_2 as key_3,
        person as person,
        counted_1 as value,
        sum(row_count) as row_count
    from sqlanon.source_combinations
    group by "the ""age""", sex, counted_2, person, counted_1
),
class_persons as (
    select key_1, key_2, key_3, person, count(*) as value_count, sum(row_count) as row_count
    from person_values
    group by key_1, key_2, key_3, person
),
finest_classes as (
    select key_1, key_2, key_3, max(value_count) as value_count, sum(row_count) as row_count
    from class_persons
    group by key_1, key_2, key_3
),
several as (
    select person
    from (select distinct person, value from person_values) as different_values
    group by person
    having count(*) > 1
)
select
    (select count(*) from several) as persons,
    count(*) as classes,
    cast(coalesce(sum(row_count), 0) as bigint) as row_count
from finest_classes
where value_count > 1
