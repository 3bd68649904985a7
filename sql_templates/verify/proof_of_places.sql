-- proof_of_places: every value of the population has one label in the publication at most; else
--   it could not be told which class a person of the population falls into
-- reads:   population_labels
-- returns: one row per attribute whose published labels overlap
select attribute, count(*) as overlapping_values
from (
    select attribute, value
    from sqlanon.population_labels
    group by attribute, value
    having count(*) > 1
) as overlaps
group by attribute
