{#- inputs: name str, bounds str, marginals str, group_count int -#}
-- {{ name }}: published values whose rows do not fit their candidates
-- reads:   {{ bounds }}, {{ marginals }}
-- returns: one row
--   contradictions   values with more rows than candidates, or with fewer rows than candidates
--                    who must be in the table   [values]
with counted_values (bucket, group_number, value, lowest, highest) as (
{% for number in range(1, group_count + 1) %}
    {{ "union all " if not loop.first }}select bucket, {{ number }}, value_{{ number }}, sum(lowest), sum(highest)
    from {{ bounds }}
    group by bucket, value_{{ number }}
{% endfor %}
)
select count(*) as contradictions
from {{ marginals }} as marginals
left join counted_values
    on counted_values.bucket = marginals.bucket
    and counted_values.group_number = marginals.group_number
    and counted_values.value = marginals.value
where marginals.row_count > coalesce(counted_values.highest, 0)
    or marginals.row_count < counted_values.lowest
