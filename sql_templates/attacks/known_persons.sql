{#- inputs: quasi_identifiers list[str], population_count str, person str -#}
-- known_persons: the persons of the population, of whom what never changes is known
-- reads:   population_combinations
-- returns: one row per person
--   {{ person | comment }}   number of the person
select
{% for name in quasi_identifiers %}
    {{ name | ident }},
{% endfor %}
    row_number() over () as {{ person | ident }}
from (
    select *, unnest(range({{ population_count | ident }})) as {{ person | ident }}
    from sqlanon.population_combinations
) as persons
