{# The order of rows that only the seed knows: a keyed hash of their values, then the values themselves (rows that tie are equal). `label` makes orders independent of each other. #}
{% macro order(label, columns, alias, width) -%}
{{ " " * width }}sha256(concat(
{{ " " * width }}    getvariable('sqlanon_permutation_seed'), '|{{ label }}'{% for name in columns %},
{{ " " * width }}    '|', cast({{ alias }}{{ name | ident }} as varchar){% endfor %}

{{ " " * width }})){% for name in columns %},
{{ " " * width }}{{ alias }}{{ name | ident }}{% endfor %}
{%- endmacro %}
