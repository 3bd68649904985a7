{#- inputs: quasi_identifiers list[tuple[str, str]] name expression, population_count str -#}
-- population_combinations: the one pass over the population
-- reads:   population, its quasi-identifiers only
-- returns: one row per distinct combination of quasi-identifiers
--   {{ population_count }}  rows of the population with this combination   [rows]
-- nulls:   a null is a value of its own
select
{% for name, expression in quasi_identifiers %}
    {{ expression }}{% if expression != name | ident %} as {{ name | ident }}{% endif %},
{% endfor %}
    count(*) as {{ population_count | ident }}
from sqlanon.population
group by
{% for name, expression in quasi_identifiers %}
    {{ expression }}{{ "," if not loop.last }}
{% endfor %}
