{#- inputs: name str, profiles str -#}
-- {{ name }}: the distinct cases to count; they contain no values
-- reads:   {{ profiles }}
-- returns: one row per case: the sizes of the groups and the rows with the value
select profile, value_count
from sqlanon.{{ profiles }}
group by profile, value_count
order by profile, value_count
