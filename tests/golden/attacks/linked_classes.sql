-- linked_classes: rows that share all quasi-identifiers; buckets publish these unchanged
-- reads:   published_rows, sqlanon.population_combinations
-- returns: one row per combination of quasi-identifiers
--   class_size  published rows
--   population_size  rows of the population with the same quasi-identifiers   [rows]
-- nulls:   a null is a value of its own
with population_sizes as (
    select
        cast(population_combinations.age as varchar) as label_1,
        cast(population_combinations.zip as varchar) as label_2,
        cast(sum(population_combinations.population_count) as bigint) as population_size
    from sqlanon.population_combinations as population_combinations
    group by
        cast(population_combinations.age as varchar),
        cast(population_combinations.zip as varchar)
)
select
    linked.age,
    linked.zip,
    linked.class_size,
    coalesce(population_sizes.population_size, 0) as population_size
from (
    select
        published_rows.age as age,
        published_rows.zip as zip,
        count(*) as class_size
    from sqlanon.published_rows
    group by
        published_rows.age,
        published_rows.zip
) as linked
left join population_sizes
    on population_sizes.label_1 is not distinct from cast(linked.age as varchar)
    and population_sizes.label_2 is not distinct from cast(linked.zip as varchar)
