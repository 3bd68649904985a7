{# The label of a number at a level: the range between two cut points that contains it. #}
{% macro label(rule, level, exact) -%}
case
{% for upper, label in rule.ranges[level - 1] %}
{% if upper is not none %}
    when {{ exact }} < {{ upper | number }} then {{ label | text }}
{% else %}
    when {{ exact }} is not null then {{ label | text }}
{% endif %}
{% endfor %}
end
{%- endmacro %}
