-- profiled_columns: the counts of all columns, without the sample
-- reads:   column_profile
-- returns: one row: rows, sampled rows, then for each column the counts of column_profile
select
    row_count,
    coalesce(len(sample), 0) as sampled_rows,
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
