{# The keyed hash of these columns: each with its length, so that no two rows have the same text. #}
{% macro keyed_hash(title, columns, secret="sqlanon_permutation_seed") -%}
sha256(concat(
    getvariable('{{ secret }}'), '|{{ title }}'{% for name in columns %},
    '|', length(cast({{ name | ident }} as varchar)), ':', cast({{ name | ident }} as varchar){% endfor %}

))
{%- endmacro %}
