-- drawn_persons: some persons of the population, always the same ones
-- reads:   sqlanon.population_combinations
-- returns: one row per drawn combination of quasi-identifiers, at most 500
-- nulls:   a null is a value of its own
select *
from sqlanon.population_combinations
order by
    md5(
        concat_ws(
            ',',
            coalesce(cast(age as varchar), 'NULL'),
            coalesce(cast(zip as varchar), 'NULL')
        )
    ),
    age,
    zip
limit 500
