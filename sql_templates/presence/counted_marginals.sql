{#- inputs: name str, marginals str -#}
-- {{ name }}: the published counts, for counting
-- reads:   {{ marginals }}
-- returns: one row per bucket, column group and value, with its rows
select bucket, group_number, value, row_count
from {{ marginals }}
order by bucket, group_number, value
