-- lacking_classes: whether a published person is missing from the population
-- reads:   sqlanon.published_equivalence_classes
-- returns: one row: the number of classes with more rows than persons of the population
select count(*) as classes
from sqlanon.published_equivalence_classes as classes
where classes.population_size < classes.class_size
