{#- inputs: name str, class_key list[str], counts list[str] -#}
{% import "_keys.sql" as keys %}
-- {{ name }}: the largest m for which all releases are m-unique
-- source:  Xiao and Tao 2007, m-invariance, SIGMOD
-- reads:   {{ counts | join(", ") }}
-- returns: one row
--   largest_m   rows of the smallest class if no class contains a value twice; else 0   [rows]
select
    case when max(classes.largest_count) = 1 then min(classes.class_size) else 0 end as largest_m
from (
{% for counted in counts %}
    {{ "union all " if not loop.first }}select
        cast(sum(counts.value_count) as bigint) as class_size,
        max(counts.value_count) as largest_count
    from sqlanon.{{ counted }} as counts
    group by {{ keys.list("counts", class_key) }}
{% endfor %}
) as classes
