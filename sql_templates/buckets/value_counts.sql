{#- inputs: attribute str, number int -#}
-- value_counts: how often each value of {{ attribute | comment }} occurs, the most frequent first
-- reads:   table_values_{{ number }}
-- returns: one row per value: its count alone   [rows]
select row_count
from sqlanon.table_values_{{ number }}
order by row_count desc, place
