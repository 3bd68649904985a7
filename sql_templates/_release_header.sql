{# The header of a release: what becomes of every column, what is left out, what is promised. #}
{% import "_comments.sql" as comments %}
{% macro told(title, lines) -%}
{% set longest = lines | map(attribute=0) | map("length") | max %}
{% set width = [longest, 24] | min + 1 %}
{% call comments.wrapped("-- release: ") %}
{{ title | comment }}
{% endcall %}
{% for name, words in lines %}
{% set lead %}--   {{ name | comment }}{{ " " * ([width - name | length, 1] | max) }}{% endset %}
{% call comments.wrapped(lead, hang="--   " ~ " " * width, width=100) %}
{{ words | comment }}
{% endcall %}
{% endfor %}
{%- endmacro %}
