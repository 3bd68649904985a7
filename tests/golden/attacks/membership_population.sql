-- attack_of_membership_9_population: everybody of whom the attacker asks
-- reads:   sqlanon.population_combinations
-- returns: one row
--   persons   of the population, also those who fall into no class   [persons]
select cast(sum(population_count) as bigint) as persons
from sqlanon.population_combinations
