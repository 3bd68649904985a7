-- published_combinations: the one pass over the publication; all promises are judged on this table
-- reads:   published_rows; no result of the search
-- returns: one row per distinct combination of published quasi-identifiers, values
--   text_of_diagnosis   diagnosis
--   text_of_salary   salary
--   row_count   published rows   [rows]
--   person_count   persons of the class, as published   [persons]
-- nulls:   a null is a value of its own
select
    "the ""age""", sex, cast(diagnosis as varchar) as text_of_diagnosis,
    cast(salary as varchar) as text_of_salary, min(cast(persons as bigint)) as person_count,
    count(*) as row_count
from sqlanon.published_rows
group by "the ""age""", sex, diagnosis, salary
