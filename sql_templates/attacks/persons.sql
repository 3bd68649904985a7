{#- inputs: title str, population str, population_count str, quasi_identifiers list[tuple[str, str]] -#}
-- {{ title }}: the persons, identified by their quasi-identifiers alone
-- reads:   {{ population | comment }}
-- returns: one row per combination of quasi-identifiers; persons who share a combination are in
--   the same classes
--   person        number of the combination, the same for every release of the population
{% for name, alias in quasi_identifiers %}
--   value_{{ loop.index }}       {{ name | comment }}, as text
{% endfor %}
--   person_count  [persons]
-- nulls:   a null is a value of its own
with combinations as (
    select
{% for name, alias in quasi_identifiers %}
        cast({{ name | ident }} as varchar) as value_{{ loop.index }},
{% endfor %}
        cast(sum({{ population_count | ident }}) as bigint) as person_count
    from {{ population }}
    group by
{% for name, alias in quasi_identifiers %}
        cast({{ name | ident }} as varchar){{ "," if not loop.last }}
{% endfor %}
)
select
    row_number() over (
        order by
{% for name, alias in quasi_identifiers %}
            value_{{ loop.index }} nulls first{{ "," if not loop.last }}
{% endfor %}
    ) as person,
{% for name, alias in quasi_identifiers %}
    value_{{ loop.index }},
{% endfor %}
    person_count
from combinations
