-- source_tuples_1: what the rows have besides the sensitive value, as somebody may know it
-- reads:   source_rows
-- returns: one row per distinct combination, as text
--   row_count   its rows   [rows]
-- nulls:   a missing value is a value of its own
select
    cast(age as varchar) as age,
    cast(zip as varchar) as zip,
    count(*) as row_count
from sqlanon.source_rows
group by
    cast(age as varchar),
    cast(zip as varchar)
