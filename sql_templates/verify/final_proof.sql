{#- inputs: name str, relation str, quasi_identifiers list[tuple[str, str]], model_sql str -#}
-- {{ name }}, once more, of what stands at its final place; no row means that it holds
-- returns: one row per failing class
with published_equivalence_classes as (
    select
{% for name, alias in quasi_identifiers %}
        {{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }},
{% endfor %}
        count(*) as class_size
    from {{ relation }}
    group by
{% for name, alias in quasi_identifiers %}
        {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
),
{% for number, attribute in values_of %}
published_class_values_{{ number }} as (
    select
{% for name, alias in quasi_identifiers %}
        published_rows.{{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }},
{% endfor %}
        table_values.value,
        count(*) as value_count
    from {{ relation }} as published_rows
    inner join sqlanon.table_values_{{ number }} as table_values
        on table_values.text is not distinct from cast(published_rows.{{ attribute | ident }} as varchar)
    group by
{% for name, alias in quasi_identifiers %}
        published_rows.{{ name | ident }},
{% endfor %}
        table_values.value
),
{% endfor %}
judged_classes as (
{{ model_sql | indent(4, first=true) }}
)
select *
from judged_classes
where not satisfied
order by all
