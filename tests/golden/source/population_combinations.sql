-- population_combinations: the one pass over the population
-- reads:   population, its quasi-identifiers only
-- returns: one row per distinct combination of quasi-identifiers
--   population_count  rows of the population with this combination   [rows]
-- nulls:   a null is a value of its own
select
    "the ""age""",
    sex,
    count(*) as population_count
from sqlanon.population
group by
    "the ""age""",
    sex
