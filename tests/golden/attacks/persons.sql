-- attack_of_minimality_labels_10_persons: the persons, identified by their quasi-identifiers alone
-- reads:   sqlanon.population_combinations
-- returns: one row per combination of quasi-identifiers; persons who share a combination are in
--   the same classes
--   person        number of the combination, the same for every release of the population
--   value_1       age, as text
--   value_2       zip, as text
--   person_count  [persons]
-- nulls:   a null is a value of its own
with combinations as (
    select
        cast(age as varchar) as value_1,
        cast(zip as varchar) as value_2,
        cast(sum(population_count) as bigint) as person_count
    from sqlanon.population_combinations
    group by
        cast(age as varchar),
        cast(zip as varchar)
)
select
    row_number() over (
        order by
            value_1 nulls first,
            value_2 nulls first
    ) as person,
    value_1,
    value_2,
    person_count
from combinations
