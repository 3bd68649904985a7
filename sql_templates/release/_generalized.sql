{#- one CTE with the published labels of the rows of a table: `rows`, LabeledRows -#}
{{ rows.name }} as {{ "not materialized " if rows.hinted }}(
    select
{% for column in rows.columns %}
{% set together = loop.previtem is defined and column.is_bare and loop.previtem.is_bare %}
{{ " " if together else ("        " if loop.first else "\n        ") }}{{ column.expression | indent(8) }}{{ " as " ~ (column.name | ident) if not column.is_bare }}{{ "," if not loop.last -}}
{% endfor %}

{% if rows.exacts %}
    from (
        select {{ rows.table }}.*{% for alias, expression in rows.exacts %}, {{ expression }} as {{ alias | ident }}{% endfor %}

        from {{ rows.table }}
    ) as {{ rows.table }}
{% else %}
    from {{ rows.table }}
{% endif %}
{% for join in rows.joins %}
{% set joined %}left join {{ join.relation | ident }}{{ " as " ~ (join.alias | ident) if join.alias != join.relation }}{% endset %}
{% set condition %}on {{ join.alias | ident }}.value {{ "is not distinct from" if join.null_safe else "=" }} {{ join.value }}{% endset %}
{% if (joined ~ condition) | length <= 94 %}
    {{ joined }} {{ condition }}
{% else %}
    {{ joined }}
        {{ condition }}
{% endif %}
{% endfor %}
){{ "," if not rows.last }}
