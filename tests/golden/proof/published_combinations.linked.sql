-- published_combinations: the one pass over the publication; all promises are judged on this table
-- reads:   published_rows, published_histories; no result of the search
-- returns: one row per distinct combination of published quasi-identifiers, values and persons
--   text_of_diagnosis   diagnosis
--   history     number of the person's history, which is the class of all rows of the person
--   row_count   published rows   [rows]
-- nulls:   a null is a value of its own
select
    published_rows."the ""age""", published_rows.sex,
    cast(published_rows.diagnosis as varchar) as text_of_diagnosis,
    published_rows.visitor as person, histories.history, count(*) as row_count
from sqlanon.published_rows as published_rows
inner join sqlanon.published_histories as histories
    on histories.person is not distinct from published_rows.visitor
group by
    published_rows."the ""age""", published_rows.sex, published_rows.diagnosis,
    published_rows.visitor, histories.history
