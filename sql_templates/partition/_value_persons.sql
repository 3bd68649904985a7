{#- CTE: how many persons have each value of the attributes `ends` -#}
value_persons (attribute_number, value, persons) as (
    -- one row per attribute and value: how many {{ "persons" if unit_alias else "rows" }} have it
{% for attribute in ends %}
    {{ "union all\n    " if not loop.first }}select
        {{ attribute.number }},
{% if unit_alias %}
        cast({{ attribute.name | ident }} as varchar),
        count(distinct {{ unit_alias | ident }})
    from sqlanon.source_combinations
    group by cast({{ attribute.name | ident }} as varchar)
{% else %}
        value,
        row_count
    from sqlanon.source_values
    where attribute = {{ attribute.name | text }}
{% endif %}
{% endfor %}
),
