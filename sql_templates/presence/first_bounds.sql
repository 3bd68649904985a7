{#- inputs: name str, cells str, marginals str, group_count int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
first bounds on a cell's candidates in the table, from their number alone
{% endcall %}
-- reads:   {{ cells }}, {{ marginals }}
-- returns: one row per cell
--   rows_1, ...       published rows of its value in each column group   [rows]
--   lowest         lower bound on candidates in the table: 0   [persons]
--   highest        upper bound   [persons]
--   changed        true: the next round may tighten the bounds
select
    cells.bucket,
{% for number in range(1, group_count + 1) %}
    cells.value_{{ number }},
{% endfor %}
    cells.person_count,
{% for number in range(1, group_count + 1) %}
    marginals_{{ number }}.row_count as rows_{{ number }},
{% endfor %}
    cast(0 as bigint) as lowest,
    cells.person_count as highest,
    true as changed
from {{ cells }} as cells
{% for number in range(1, group_count + 1) %}
inner join {{ marginals }} as marginals_{{ number }}
    on marginals_{{ number }}.bucket = cells.bucket
    and marginals_{{ number }}.group_number = {{ number }}
    and marginals_{{ number }}.value = cells.value_{{ number }}
{% endfor %}
