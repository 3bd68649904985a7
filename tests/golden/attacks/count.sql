-- lacking_classes: the number of rows for which population_size < class_size
-- reads:   sqlanon.published_equivalence_classes
-- returns: one row
select count(*)
from sqlanon.published_equivalence_classes
where population_size < class_size
