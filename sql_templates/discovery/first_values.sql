{#- inputs: relation str, columns list[dict[alias str, text str]], first_rows int -#}
-- first_values: which columns could be numbers or dates, by the first rows
-- reads:   {{ relation }}
-- returns: one row; for each column three counts
--   present   rows with a value   [rows]
--   numbers   rows whose value is a number   [rows]
--   dates     rows whose value is a date or a point in time   [rows]
with first_rows as (
    select
{% for column in columns %}
        {{ column.text }} as {{ column.alias }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ relation }}
    limit {{ first_rows }}
)
select
{% for column in columns %}
    count({{ column.alias }}) as present_{{ loop.index }},
    count(try_cast({{ column.alias }} as double)) as numbers_{{ loop.index }},
    count(try_cast({{ column.alias }} as timestamp)) as dates_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from first_rows
