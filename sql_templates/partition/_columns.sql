{# What a cell is made of, in one list, eight places a line; `last` ends it. #}
{% macro cell(last, alias="", dealt=false) -%}
{% for attribute in attributes %}{{ alias }}place_{{ attribute.number }},{{ "\n" if loop.index % 8 == 0 else " " }}{% endfor %}
{{ ((alias ~ "deal, ") if dealt) ~ counts(last, alias) }}
{%- endmacro %}
{% macro counts(last, alias="") -%}
{% for number in carried %}{{ alias }}value_{{ number }}, {% endfor %}{{ alias ~ "person, " if unit }}{{ alias ~ "population_count, " if population }}{{ last }}
{%- endmacro %}
