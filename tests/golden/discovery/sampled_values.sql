-- sampled_values: the different values of every column in the sample
-- reads:   sampled_rows
-- returns: one row per column and value
--   row_count   rows with the value   [rows]
-- nulls:   a missing value is none
select column_name, value, count(*) as row_count
from sqlanon.sampled_rows
unpivot (
    value for column_name in (
        column_1,
        column_2,
        column_3
    )
)
group by column_name, value
