-- published_combinations: the one pass over the publication; all promises are judged on this table
-- reads:   published_rows; no result of the search
-- returns: one row per distinct combination of published quasi-identifiers, values and persons
--   text_1      diagnosis
--   text_2      salary
--   row_count   published rows   [rows]
-- nulls:   a null is a value of its own
select
    "the ""age""", sex, cast(diagnosis as varchar) as text_1, cast(salary as varchar) as text_2,
    visitor as person, count(*) as row_count
from sqlanon.published_rows
group by "the ""age""", sex, diagnosis, salary, visitor
