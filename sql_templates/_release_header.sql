{# The header of a release: what becomes of every column, what is left out, what is promised. #}
{% import "_comments.sql" as comments %}
{% macro told(title, lines) -%}
{% call comments.wrapped("-- release: ") %}
{{ title | comment }}
{% endcall %}
{% for name, words in lines %}
{% set lead %}--   {{ name | comment }}{{ " " * ([16 - name | length, 1] | max) }}{% endset %}
{% call comments.wrapped(lead, hang="--                   ") %}
{{ words | comment }}
{% endcall %}
{% endfor %}
{%- endmacro %}
