{#- inputs: name str, bounds str, group_count int -#}
{% import "_numbered.sql" as numbered %}
-- {{ name }}: the cells, for counting
-- reads:   {{ bounds }}
-- returns: one row per cell: its bucket and values, its candidates, and the lower and upper bound
--   on those in the table
select bucket, {{ numbered.list("value", group_count) }}, person_count, lowest, highest
from {{ bounds }}
order by bucket, {{ numbered.list("value", group_count) }}
