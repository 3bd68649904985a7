-- sampled_rows: the sample of the source, all values as text
-- reads:   column_profile
-- returns: one row per sampled row; no row if the source has none
select unnest(sample, recursive := true)
from sqlanon.column_profile
