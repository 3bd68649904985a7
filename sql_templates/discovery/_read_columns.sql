{#- the CTE `read_columns`: the values of columns as they are counted, by their aliases -#}
read_columns as (
    select
{% for column in columns %}
        {{ column.text }} as {{ column.alias }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ relation }}
)
