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
judged_classes as (
{{ model_sql | indent(4, first=true) }}
)
select *
from judged_classes
where not satisfied
order by all
