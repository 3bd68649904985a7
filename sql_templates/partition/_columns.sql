{# What a cell is made of, one column a line; `last` ends it. #}
{% macro cell(last, alias="", dealt=false) -%}
{% for attribute in attributes %}
{{ alias }}place_{{ attribute.number }},
{% endfor %}
{% if dealt %}
{{ alias }}deal,
{% endif %}
{{ counts(last, alias) }}
{%- endmacro %}
{% macro counts(last, alias="") -%}
{% for number in carried %}
{{ alias }}value_{{ number }},
{% endfor %}
{% if unit %}
{{ alias }}person,
{% endif %}
{% if population %}
{{ alias }}population_count,
{% endif %}
{{ last }}
{%- endmacro %}
