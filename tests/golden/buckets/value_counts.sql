-- value_counts: how often each value of disease occurs, the most frequent first
-- reads:   table_values_of_disease
-- returns: one row per value: its count alone   [rows]
select row_count
from sqlanon.table_values_of_disease
order by row_count desc, place
