{# The label of a number at a level: rounded to its digits, from the label of the level below, so
   that the levels nest. #}
{% macro label(rule, level, exact) -%}
{% set digits = rule.digits[:level] %}
cast(cast({% for _ in digits %}round({% endfor %}{{ exact }}{% for places in digits %}, {{ places }}){% endfor %} as decimal(38, {{ [digits | last, 0] | max }})) as varchar)
{%- endmacro %}
