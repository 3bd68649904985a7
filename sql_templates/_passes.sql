{# One pass as CTEs: the rows that wait, and how many rows or persons of them have their label. #}
{% macro waiting(number, first, size, keys, counted, person, member, members, earlier, words=[]) -%}
{% set before = "pass_" ~ (number - 1) if earlier else first %}
{% set waits = earlier ~ " < " ~ size if earlier else "" %}
{% set parts = "partition by " ~ (keys | join(", ")) if keys else "" %}
{% if person %}
persons_{{ number }} as (
    select *, dense_rank() over ({{ parts }}{{ " " if parts }}order by {{ person }}) as {{ member }}
    from {{ before }}
{% if waits %}
    where {{ waits }}
{% endif %}
),
{% endif %}
pass_{{ number }} as (
{% for line in words %}
{{ line }}
{% endfor %}
    select *, {{ counted }} over ({{ parts }}) as {{ members }}
    from {{ "persons_" ~ number if person else before }}
{% if waits and not person %}
    where {{ waits }}
{% endif %}
),
{%- endmacro %}
{# Joins with the labels of rows, each at its level. #}
{% macro labels(attributes, rows) -%}
{% for attribute in attributes %}
left join sqlanon.generalized_values as labels_{{ attribute.number }}
    on labels_{{ attribute.number }}.attribute = {{ attribute.name | text }}
    and labels_{{ attribute.number }}.level = {{ rows }}.level_{{ attribute.number }}
    and labels_{{ attribute.number }}.code = {{ rows }}.key_{{ attribute.word }}
        & case {{ rows }}.level_{{ attribute.number }}
{% for mask in attribute.masks %}
            when {{ loop.index0 }} then {{ mask }}
{% endfor %}
        end
{% endfor %}
{%- endmacro %}
