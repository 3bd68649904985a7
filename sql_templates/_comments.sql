{# A comment that may be long, broken between words: `lead` opens the first line, `hang` the others.
   A model's text stands in other statements, indented, and so its lines end early. #}
{% macro wrapped(lead, hang="--   ", width=98) -%}
{% set at = namespace(column=lead | length) %}
{{ lead }}
{%- for word in caller().split() %}
{% if loop.first %}
{% elif at.column + 1 + word | length > width %}
{{- "\n" ~ hang }}{% set at.column = hang | length %}
{%- else %}
{{- " " }}{% set at.column = at.column + 1 %}
{%- endif %}
{{- word }}{% set at.column = at.column + word | length %}
{%- endfor %}
{{ "\n" }}
{%- endmacro %}
