{#- inputs: quasi_identifiers list[str], population_count str -#}
-- population_combinations: the one pass over the population
-- reads:   population, its quasi-identifiers only
-- returns: one row per distinct combination of quasi-identifiers
--   {{ population_count }}  rows of the population with this combination   [rows]
-- nulls:   null is one more value
select
{% for name in quasi_identifiers %}
    {{ name | ident }},
{% endfor %}
    count(*) as {{ population_count | ident }}
from sqlanon.population
group by
{% for name in quasi_identifiers %}
    {{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
