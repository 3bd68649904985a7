-- published_combinations: the one pass over the publication; all promises are judged on this table
-- reads:   published_rows; no result of the search
-- returns: one row per distinct combination of published quasi-identifiers
--   row_count   published rows   [rows]
-- nulls:   a null is a value of its own
select
    "the ""age""", satisfied as quasi_identifier_2, "select" as quasi_identifier_3,
    count(*) as row_count
from sqlanon.published_rows
group by "the ""age""", satisfied, "select"
