{#- CTE: the labels of each column in the publication, by the attribute's name or number -#}
{% macro of(names, numbered=false) -%}
published_labels as (
{% for name in names %}
    {{ "union all " if not loop.first }}select {{ (loop.index ~ " as attribute_number") if numbered else (name | text ~ " as attribute") }}, cast({{ name | ident }} as varchar) as label
    from sqlanon.published_rows
    group by {{ name | ident }}
{% endfor %}
)
{%- endmacro %}
