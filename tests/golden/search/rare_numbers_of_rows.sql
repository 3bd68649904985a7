-- rare_numbers_of_rows: persons who are few with their number of rows, whatever the levels are
-- reads:   frequency_set
-- returns: one row
--   rare_persons   persons with a number of rows that fewer than 5 persons have   [persons]
--   person_count   all persons   [persons]
with counted_rows as (
    select person, sum(row_count) as row_count
    from sqlanon.frequency_set
    group by person
),
counted_persons as (
    select row_count, count(*) as person_count
    from counted_rows
    group by row_count
)
select
    cast(
        coalesce(sum(person_count) filter (where person_count < 5), 0) as bigint
    ) as rare_persons,
    cast(sum(person_count) as bigint) as person_count
from counted_persons
