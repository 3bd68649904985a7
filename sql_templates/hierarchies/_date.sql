{# The label of a date or time at a level: the period that contains it. #}
{% macro label(rule, level, exact) -%}
{% set period = rule.periods[level - 1] %}
{% if period == "day" %}
strftime({{ exact }}, '%Y-%m-%d')
{%- elif period == "week" %}
strftime({{ exact }}, '%G-W%V')
{%- elif period == "month" %}
strftime({{ exact }}, '%Y-%m')
{%- elif period == "quarter" %}
strftime({{ exact }}, '%Y')
    || '-Q' || cast(quarter({{ exact }}) as varchar)
{%- elif period == "year" %}
strftime({{ exact }}, '%Y')
{%- elif period == "decade" %}
cast(year({{ exact }}) // 10 * 10 as varchar) || 's'
{%- elif period == "century" %}
cast(year({{ exact }}) // 100 * 100 as varchar)
    || '-' || cast(year({{ exact }}) // 100 * 100 + 99 as varchar)
{%- endif %}
{%- endmacro %}
