-- known_persons: the persons of the population, of whom what never changes is known
-- reads:   population_combinations
-- returns: one row per person
--   person   number of the person
select
    age,
    zip,
    row_number() over () as person
from (
    select *, unnest(range(population_count)) as person
    from sqlanon.population_combinations
) as persons
