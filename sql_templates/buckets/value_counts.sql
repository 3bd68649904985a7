{#- inputs: attribute str, values str -#}
-- value_counts: how often each value of {{ attribute | comment }} occurs, the most frequent first
-- reads:   {{ values }}
-- returns: one row per value: its count alone   [rows]
select row_count
from sqlanon.{{ values }}
order by row_count desc, place
