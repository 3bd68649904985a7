-- proof_of_regions: every published label can be read, and no person of the population is in two
--   published regions; otherwise the class of a person could not be determined
-- reads:   label_ranges, population_regions
-- returns: one row per attribute with labels that cannot be read, and one row (attribute_number is
--   null) for combinations in several regions
select attribute_number, count(*) as affected
from sqlanon.label_ranges
where first_place is null
group by attribute_number
union all
select null, count(*)
from (
    select combination
    from sqlanon.population_regions
    group by combination
    having count(*) > 1
) as shared_combinations
having count(*) > 0
