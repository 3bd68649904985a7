{#- inputs: name str, bounds str, group_count int -#}
-- {{ name }}: the cells, for counting
-- reads:   {{ bounds }}
-- returns: one row per cell: its bucket and values, its candidates, and the lower and upper bound
--   on those in the table
select
    bucket,
{% for number in range(1, group_count + 1) %}
    value_{{ number }},
{% endfor %}
    person_count,
    lowest,
    highest
from {{ bounds }}
order by bucket{% for number in range(1, group_count + 1) %}, value_{{ number }}{% endfor %}

