{#- inputs: relation str, columns list[dict[alias str, text str]], first_rows int -#}
-- first_values: which columns could be numbers or dates, by the first rows
-- reads:   {{ relation }}
-- returns: one row; for each column
--   numbers   whether all values are numbers, and written so: a cast takes 3e1 and 8_15 for some
--   dates     whether all values are dates or points in time
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
    count(try_cast(case when regexp_full_match({{ column.alias }}, '\s*[+-]?[0-9]*([.]?[0-9]*([eE][+-][0-9]+)?|[.][0-9]*[eE][0-9]+)\s*') then {{ column.alias }} end as double)) = count({{ column.alias }}) as numbers_{{ loop.index }},
    count(try_cast({{ column.alias }} as timestamp)) = count({{ column.alias }}) as dates_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
from first_rows
