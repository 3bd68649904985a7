{#- inputs: key list[tuple[str, str]] -#}
{% import "_keys.sql" as keys %}
{% set names = key | map(attribute=1) | list %}
-- population_classes: the population by published regions
-- reads:   population_regions
-- returns: one row per published region that contains a person
--   population_size   rows of the population   [rows]
select {{ keys.list("", names) }}, cast(sum(population_size) as bigint) as population_size
from sqlanon.population_regions
group by {{ keys.list("", names) }}

