{#- a text as a number, if it is written as one: 3e1 and 8_15 are numbers to a cast, and codes to people -#}
{% macro number(text) -%}
try_cast(case when regexp_full_match({{ text }}, '\s*[+-]?[0-9]*([.]?[0-9]*([eE][+-][0-9]+)?|[.][0-9]*[eE][0-9]+)\s*') then {{ text }} end as double)
{%- endmacro %}
