{#- inputs: population_count str -#}
-- population_size: how many persons the population has
-- reads:   population_combinations
-- returns: one row with their number   [persons]
select cast(sum({{ population_count | ident }}) as bigint) as population_size
from sqlanon.population_combinations
