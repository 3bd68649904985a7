{# The label of a number at a level: the interval [low, high) of the level's width that contains it.
   Its distance from the start of the interval is taken off, so that nothing is divided. #}
{% macro label(rule, level, exact) -%}
{% set width = rule.widths[level - 1] %}
{% set start = rule.start * rule.unit %}
{% set decimals = [
    (rule.unit | number).partition(".")[2] | length,
    ((rule.lowest or rule.unit) | number).partition(".")[2] | length,
    ((rule.highest or rule.unit) | number).partition(".")[2] | length,
] | max %}
{% macro low() -%}
{{ exact }} - ({% if start %}({{ exact }} - {{ start | number }}){% else %}{{ exact }}{% endif %} % {{ width | number }} + {{ width | number }}) % {{ width | number }}
{%- endmacro %}
{% macro first() -%}
cast({{ low() }} as decimal(38, {{ decimals }}))
{%- endmacro %}
{% macro last() -%}
cast({{ low() }} + {{ width | number }} as decimal(38, {{ decimals }}))
{%- endmacro %}
{% if rule.lowest is none and rule.highest is none %}
'[' || {{ first() }} || ', '
    || {{ last() }} || ')'
{%- else %}
case
{% if rule.lowest is not none %}
    when {{ exact }} < {{ rule.lowest | number }} then '< {{ rule.lowest | number }}'
{% endif %}
{% if rule.highest is not none %}
    when {{ exact }} >= {{ rule.highest | number }} then '>= {{ rule.highest | number }}'
{% endif %}
    when {{ exact }} is not null then '['
{% if rule.lowest is not none %}
        || greatest({{ first() }}, {{ rule.lowest | number }}) || ', '
{% else %}
        || {{ first() }} || ', '
{% endif %}
{% if rule.highest is not none %}
        || least({{ last() }}, {{ rule.highest | number }}) || ')'
{% else %}
        || {{ last() }} || ')'
{% endif %}
end
{%- endif %}
{%- endmacro %}
