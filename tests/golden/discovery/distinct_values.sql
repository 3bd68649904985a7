-- distinct_values: how often values repeat, over all rows
-- reads:   source
-- returns: one row: the number of rows, then for each column
--   present    rows with a value   [rows]
--   distinct   different values, approximate   [values]
select
    count(*) as row_count,
    count("the ""age""") as present_1,
    approx_count_distinct("the ""age""") as distinct_1,
    count(town) as present_2,
    approx_count_distinct(town) as distinct_2
from sqlanon.source
