-- population_classes: the population by published regions
-- reads:   population_regions
-- returns: one row per published region that contains a person
--   population_size   rows of the population   [rows]
select
    "the ""age""", born, "tôwn", quasi_identifier_4,
    cast(sum(population_size) as bigint) as population_size
from sqlanon.population_regions
group by "the ""age""", born, "tôwn", quasi_identifier_4
