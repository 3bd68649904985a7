{#- inputs: name str, bounds str, group_count int -#}
-- {{ name }}: the cells, for counting
-- reads:   {{ bounds }}
-- returns: one row per cell: bucket, its values, candidates, how many are in the table at least, at most
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

