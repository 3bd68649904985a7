{#- inputs: columns list[str] -#}
-- distinct_values: how often values repeat, over all rows
-- reads:   source
-- returns: one row: the number of rows, then for each column
--   present    rows with a value   [rows]
--   distinct   different values, approximate   [values]
select
    count(*) as row_count,
{% for column in columns %}
    count({{ column | ident }}) as present_{{ loop.index }},
    approx_count_distinct({{ column | ident }}) as distinct_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from sqlanon.source
