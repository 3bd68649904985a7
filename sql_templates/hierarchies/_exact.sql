{# A value as the type that a rule computes with; values of other types by their text. #}
{% macro exact(value, type, through_text) -%}
cast({{ "cast(" if through_text }}{{ value }}{{ " as varchar)" if through_text }} as {{ type }})
{%- endmacro %}
{% macro as_text(value) -%}
cast({{ value }} as varchar)
{%- endmacro %}
{# The label of all values at the top; without one that is known, that of any value, in a column. #}
{% macro top_label(relation, label, column) -%}
{% if label is none %}
coalesce((select min({{ column | ident }}) from {{ relation | ident }}), '*')
{%- else %}
{{ label | text }}
{%- endif %}
{%- endmacro %}
{# The values of a relation of values, to be labeled. #}
{% macro known_values(relation) -%}
(
        select text as value
        from {{ relation | ident }}
        where text is not null
    ) as known_values
{%- endmacro %}
