{#- inputs: key list[tuple[str, str]] -#}
-- population_classes: the population by published regions
-- reads:   population_regions
-- returns: one row per published region that contains a person
--   population_size   rows of the population   [rows]
select
{% for name, alias in key %}
    {{ alias | ident }},
{% endfor %}
    cast(sum(population_size) as bigint) as population_size
from sqlanon.population_regions
group by
{% for name, alias in key %}
    {{ alias | ident }}{{ "," if not loop.last }}
{% endfor %}
