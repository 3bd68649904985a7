{# One pass as CTEs: the first pass that places a row, by the size of its class among the rows that wait. #}
{% macro window(earlier, keys, person, order="") -%}
{% set parts = ([earlier ~ " is null"] if earlier and person else []) + keys %}
over ({{ "partition by " ~ (parts | join(", ")) if parts }}{{ " " if parts and order }}{{ order }})
{%- endmacro %}
{% macro placed(number, column, earlier, before, keys, row_count, person, member, size, words=[]) -%}
{% if person %}
members_{{ number }} as (
    select *, dense_rank() {{ window(earlier, keys, person, "order by " ~ person) }} as {{ member }}
    from {{ before }}
),
{% endif %}
{{ column }} as (
{% for line in words %}
{{ line }}
{% endfor %}
{% set members %}
{% if person %}
max({{ member }}) {{ window(earlier, keys, person) }}
{%- elif earlier %}
sum(case when {{ earlier }} is null then {{ row_count }} end) {{ window(earlier, keys, person) }}
{%- else %}
sum({{ row_count }}) {{ window(earlier, keys, person) }}
{%- endif %}
{% endset %}
    select
        *,
{% if earlier %}
        coalesce(
            {{ earlier }},
            case
                when {{ members }} >= {{ size }}
                    then {{ number }}
            end
        ) as {{ column }}
{% else %}
        case
            when {{ members }} >= {{ size }}
                then {{ number }}
        end as {{ column }}
{% endif %}
    from {{ "members_" ~ number if person else before }}
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
