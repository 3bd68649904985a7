{#- inputs: name str, cells str, marginals str, group_count int -#}
{% import "_comments.sql" as comments %}
{% import "_numbered.sql" as numbered %}
{{ comments.line("-- " ~ name ~ ":", "first bounds on a cell's candidates in the table, from their number alone") }}
-- reads:   {{ cells }}, {{ marginals }}
-- returns: one row per cell
--   rows_1, ...       published rows of its value in each column group   [rows]
--   lowest, highest   bounds on its candidates in the table: 0, and all of them   [persons]
--   changed           true: the next round may tighten the bounds
select
    cells.bucket,
    {{ numbered.list("value", group_count, "cells") }},
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
