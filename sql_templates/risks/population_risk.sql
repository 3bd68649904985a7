-- population_risk: what linking the classes with the population finds
-- source:  El Emam, Guide to the De-Identification of Personal Health Information, 2013
-- reads:   published_equivalence_classes
-- returns: one row
--   larger_count      classes of the table that are larger than those of the population   [classes]
--   highest_risk      1 / persons of the population in the smallest class (journalist)   [0 to 1]
--   linked_share      share of the rows that are linked correctly (marketer)   [0 to 1]
select
    count(*) filter (where population_size < class_size) as larger_count,
    1 / cast(min(population_size) as double) as highest_risk,
    sum(class_size / cast(population_size as double)) / sum(class_size) as linked_share
from sqlanon.published_equivalence_classes
