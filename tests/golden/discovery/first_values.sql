-- first_values: which columns could be numbers or dates, by the first rows
-- reads:   source
-- returns: one row; for each column three counts
--   present   rows with a value   [rows]
--   numbers   rows whose value is a number   [rows]
--   dates     rows whose value is a date or a point in time   [rows]
with first_rows as (
    select
        town as column_3
    from sqlanon.source
    limit 2000
)
select
    count(column_3) as present_1,
    count(try_cast(column_3 as double)) as numbers_1,
    count(try_cast(column_3 as timestamp)) as dates_1
from first_rows
