{#- inputs: query str, columns int #}
    -- from a query: the first column is the value, each further column a coarser level
    select
{% for level in range(columns) %}
        cast(level_{{ level }} as varchar) as level_{{ level }}{{ "," if not loop.last }}
{% endfor %}
    from (
{{ query }}
    ) as hierarchy_query (
{%- for level in range(columns) %}level_{{ level }}{{ ", " if not loop.last }}{% endfor %})
