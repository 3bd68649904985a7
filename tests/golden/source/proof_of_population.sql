-- proof_of_population: combinations with more rows in the source than in the population
-- reads:   source_combinations
-- returns: one row if there are such combinations; no row if the population contains the source
--   combinations   such combinations   [combinations]
--   missing_rows   rows of the source that are missing from the population   [rows]
with counted_combinations as (
    select
        sum(row_count) as source_rows,
        sum(population_count) as population_rows
    from sqlanon.source_combinations
    group by
        "the ""age""",
        sex
)
select
    count(*) as combinations,
    cast(sum(source_rows - population_rows) as bigint) as missing_rows
from counted_combinations
where source_rows > population_rows
having count(*) > 0
