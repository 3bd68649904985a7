{#- inputs: population str, quasi_identifiers list[str], most int -#}
-- drawn_persons: some persons of the population, always the same ones
-- reads:   {{ population }}
-- returns: one row per drawn combination of quasi-identifiers, at most {{ most }}
-- nulls:   a null is a value of its own
select *
from {{ population }}
order by
    md5(
        concat_ws(
            ',',
{% for name in quasi_identifiers %}
            coalesce(cast({{ name | ident }} as varchar), 'NULL'){{ "," if not loop.last }}
{% endfor %}
        )
    ),
{% for name in quasi_identifiers %}
    {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
limit {{ most }}
