-- source_combinations: the one pass over the source; later steps before the release read this
-- reads:   source_rows, population_combinations
-- returns: one row per distinct combination of quasi-identifiers;
--   in addition, one row per combination of the population
--   row_count  source rows with this combination   [rows]
--   population_count  rows of the population with this combination   [rows]
-- nulls:   a null is a value of its own
select
    cast("the ""age""" as varchar) as "the ""age""", cast(sex as varchar) as sex,
    0 as population_count, count(*) as row_count
from sqlanon.source_rows
group by "the ""age""", sex
union all
select cast("the ""age""" as varchar), cast(sex as varchar), population_count, 0
from sqlanon.population_combinations
