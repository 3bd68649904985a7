{#- inputs: name str, cells str, marginals str, group_count int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
how many of a cell's candidates are in the table, as far as their number tells
{% endcall %}
-- reads:   {{ cells }}, {{ marginals }}
-- returns: one row per cell
--   rows_1, ...       published rows of its value in each column group   [rows]
--   lowest         candidates in the table, at least: 0
--   highest        at most
--   changed        whether the next round may say more: true
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
