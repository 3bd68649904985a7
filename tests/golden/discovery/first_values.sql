-- first_values: which columns could be numbers or dates, by the first rows
-- reads:   source
-- returns: one row; for each column
--   numbers   whether all values are numbers
--   dates     whether all values are dates or points in time
with first_rows as (
    select
        town as column_3
    from sqlanon.source
    limit 2000
)
select
    count(try_cast(column_3 as double)) = count(column_3) as numbers_1,
    count(try_cast(column_3 as timestamp)) = count(column_3) as dates_1
from first_rows
