{# The label of a text at a level: as many of its characters as the level, replaced by '*'. #}
{% macro label(rule, level, exact) -%}
{% if rule.side == "right" %}
substring({{ exact }}, 1, greatest(length({{ exact }}) - {{ level }}, 0))
    || repeat('*', least({{ level }}, length({{ exact }})))
{%- else %}
repeat('*', least({{ level }}, length({{ exact }}))) || substring({{ exact }}, {{ level + 1 }})
{%- endif %}
{%- endmacro %}
