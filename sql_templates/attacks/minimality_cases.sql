{#- inputs: name str, profiles str -#}
-- {{ name }}: the different cases to count; no value is told
-- reads:   {{ profiles }}
-- returns: one row per case: sizes of the groups, rows with the value
select profile, value_count
from sqlanon.{{ profiles }}
group by profile, value_count
order by profile, value_count
