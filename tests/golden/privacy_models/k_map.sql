-- k_map: every published row could be that of at least 5 persons of the population
-- source:  Sweeney 2002, k-anonymity: a model for protecting privacy (k-map)
-- reads:   sqlanon.published_equivalence_classes, one row per equivalence class,
--   population_size included
-- returns: one row per equivalence class
--   population_size  rows of the population that fall into the class   [rows]
--   satisfied        population_size >= 5; never null
-- nulls:   a null quasi-identifier is a value of its own
select
    classes.age, classes.sex,
    classes.population_size,
    classes.population_size >= 5 as satisfied
from sqlanon.published_equivalence_classes as classes
