{# The places of a row's quasi-identifiers: looked up, compared, and described in a header. #}
{% macro lookup(attributes, rows, margin="") -%}
{% for attribute in attributes %}
{{ margin }}left join sqlanon.value_places as {{ attribute.named("places") | ident }}
{{ margin }}    on {{ attribute.named("places") | ident }}.attribute_number = {{ attribute.number }}
{% set line %}    and {{ attribute.named("places") | ident }}.value is not distinct from cast({{ rows }}.{{ attribute.name | ident }} as varchar){% endset %}
{% if (margin ~ line) | length <= 98 %}
{{ margin ~ line }}
{% else %}
{{ margin }}    and {{ attribute.named("places") | ident }}.value
{{ margin }}        is not distinct from cast({{ rows }}.{{ attribute.name | ident }} as varchar)
{% endif %}
{% endfor %}
{%- endmacro %}
{% macro titles(attributes) -%}
{% for attribute in attributes %}
--   {{ attribute.place }}   place of {{ attribute.name | comment }}
{% endfor %}
{%- endmacro %}
{% macro numbers(attributes) -%}
{% for attribute in attributes %}{{ attribute.number }} {{ attribute.name | comment }}{{ ", " if not loop.last }}{% endfor %}
{%- endmacro %}
