{# What a cell is made of, several columns a line; `last` ends it. #}
{% macro filled(names, last) -%}
{% set at = namespace(column=0) %}
{% for name in names %}
{{- name }},{% set at.column = at.column + name | length + 2 %}
{% if at.column + ((last if loop.last else loop.nextitem) | length) > 72 %}
{{- "\n" }}{% set at.column = 0 %}
{% else %}
{{- " " }}
{%- endif %}
{% endfor %}
{{ last }}
{%- endmacro %}
{% macro cell(last, alias="", dealt=false) -%}
{% set names = namespace(all=[]) %}
{% for attribute in attributes %}
{% set names.all = names.all + [alias ~ (attribute.place | ident)] %}
{% endfor %}
{{ filled(names.all + ([alias ~ "deal"] if dealt else []) + counted(alias).split(), last) }}
{%- endmacro %}
{% macro counts(last, alias="") -%}
{{ filled(counted(alias).split(), last) }}
{%- endmacro %}
{% macro counted(alias) -%}
{% for code in carried %}{{ alias }}{{ code | ident }} {% endfor %}
{{ alias ~ "person " if unit }}{{ alias ~ "population_count" if population }}
{%- endmacro %}
