{#- inputs: columns list[dict[text str, codes list[str], number str, ways list[dict[value str, date bool]]]] -#}
-- fitting_texts: in how many rows the texts of columns fit the ways in which they could be read
-- reads:   source
-- returns: one row; for each column
--   present           rows with a value that is none of its codes   [rows]
--   codes             rows of each of its codes   [map from text to rows]
--   lowest, highest   of the other values, as numbers; null if none is a number
--   and for each way the rows with such a value that fit, and of dates the first and the last year
select
{% for column in columns %}
{% set place = loop.index %}
{% set is_last = loop.last %}
{% set listed %}{{ column.text }} in (''{% for code in column.codes %}, {{ code | text }}{% endfor %}){% endset %}
    count(*) filter (not {{ listed }}) as present_{{ place }},
    histogram({{ column.text }}) filter ({{ listed }} and {{ column.text }} <> '') as codes_{{ place }},
    min({{ column.number }}) filter (not {{ listed }}) as lowest_{{ place }},
    max({{ column.number }}) filter (not {{ listed }}) as highest_{{ place }}{{ "," if column.ways or not is_last }}
{% for way in column.ways %}
    count({{ way.value }}) filter (not {{ listed }}) as fitting_{{ place }}_{{ loop.index }},
{% if way.date %}
    min(year({{ way.value }})) filter (not {{ listed }}) as first_year_{{ place }}_{{ loop.index }},
    max(year({{ way.value }})) filter (not {{ listed }}) as last_year_{{ place }}_{{ loop.index }}{{ "," if not (loop.last and is_last) }}
{% else %}
    null as first_year_{{ place }}_{{ loop.index }},
    null as last_year_{{ place }}_{{ loop.index }}{{ "," if not (loop.last and is_last) }}
{% endif %}
{% endfor %}
{% endfor %}
from sqlanon.source
