-- journalist_risk: the population identifies a row's person with a chance of at most
--   0.2, in every row
-- source:  El Emam 2013, Guide to the de-identification of personal health data
-- reads:   sqlanon.published_equivalence_classes, one row per equivalence class,
--   population_size included
-- returns: one row per equivalence class
--   highest_risk  1 / population_size   [0 to 1]
--   satisfied     highest_risk <= 0.2, compared exactly; never null
-- nulls:   a null quasi-identifier is a value of its own
select
    classes.age, classes.sex,
    case
        when classes.population_size > 0 then 1.0 / cast(classes.population_size as double)
        else cast('infinity' as double)
    end as highest_risk,
    0.2 * classes.population_size >= 1 as satisfied
from sqlanon.published_equivalence_classes as classes
