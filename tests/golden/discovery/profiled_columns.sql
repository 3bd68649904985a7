-- profiled_columns: the counts of all columns, without the sample
-- reads:   column_profile
-- returns: one row: row_count, then for each column the counts of column_profile
select
    row_count,
    present_1,
    distinct_1,
    shortest_1,
    longest_1,
    numbers_1,
    wholes_1,
    dates_1,
    present_2,
    distinct_2,
    shortest_2,
    longest_2,
    numbers_2,
    wholes_2,
    dates_2,
    present_3,
    distinct_3,
    shortest_3,
    longest_3,
    numbers_3,
    wholes_3,
    dates_3
from sqlanon.column_profile
