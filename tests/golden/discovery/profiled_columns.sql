-- profiled_columns: the counts of all columns, without the sample
-- reads:   column_profile
-- returns: one row: rows, sampled rows, then the counts of each column as in column_profile
select row_count, coalesce(len(sample), 0) as sampled_rows, * exclude (row_count, sample)
from sqlanon.column_profile
