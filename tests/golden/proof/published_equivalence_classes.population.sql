-- published_equivalence_classes: rows that share all published quasi-identifiers
-- reads:   published_combinations, population_classes
-- returns: one row per class
--   class_size  published rows
--   population_size  rows of the population that fall into the class   [rows]
-- nulls:   a null is a value of its own
select
    counted_classes."the ""age""", counted_classes.sex, counted_classes.class_size,
    coalesce(population_classes.population_size, 0) as population_size
from (
    select "the ""age""", sex, cast(sum(row_count) as bigint) as class_size
    from sqlanon.published_combinations
    group by "the ""age""", sex
) as counted_classes
left join sqlanon.population_classes
    on population_classes."the ""age""" is not distinct from counted_classes."the ""age"""
    and population_classes.sex is not distinct from counted_classes.sex
