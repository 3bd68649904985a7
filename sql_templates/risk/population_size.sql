{#- inputs: population_count str -#}
-- population_size: persons of the population
-- reads:   population_combinations
-- returns: one row with their number   [rows]
select cast(sum({{ population_count | ident }}) as bigint) as population_size
from sqlanon.population_combinations
