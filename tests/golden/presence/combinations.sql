-- presence_combinations: the persons, identified by their published attributes alone
-- reads:   sqlanon.population_combinations
-- returns: one row per combination
--   combination   number of the combination, from 1
--   text_1        age
--   text_2        zip
--   person_count  persons of the population with the combination   [persons]
-- nulls:   a null is a value of its own
with texts as (
    select
        cast(age as varchar) as text_1, cast(zip as varchar) as text_2,
        population_count as person_count
    from sqlanon.population_combinations
),
counted_texts as (
    select text_1, text_2, cast(sum(person_count) as bigint) as person_count
    from texts
    group by text_1, text_2
)
select
    row_number() over (
        order by
            text_1 nulls first,
            text_2 nulls first
    ) as combination,
    counted_texts.*
from counted_texts
