-- proof_of_cover: every person of the population falls into a published class; a person who does
--   not is known to be absent
-- reads:   population_combinations, published_equivalence_classes
-- returns: one row if a person does not
select population_rows, covered_rows
from (
    select cast(sum(population_count) as bigint) as population_rows
    from sqlanon.population_combinations
) as everybody
cross join (
    select cast(sum(population_size) as bigint) as covered_rows
    from sqlanon.published_equivalence_classes
) as covered
where covered_rows < population_rows
