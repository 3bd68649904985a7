-- source_tuples_1: the values of the rows without the sensitive one, as an attacker may know them
-- reads:   source_rows
-- returns: one row per distinct combination, as text
--   row_count   rows with the combination   [rows]
-- nulls:   a missing value is a value of its own
select cast(age as varchar) as age, cast(zip as varchar) as zip, count(*) as row_count
from sqlanon.source_rows
group by cast(age as varchar), cast(zip as varchar)
