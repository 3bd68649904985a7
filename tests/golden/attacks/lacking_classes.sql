-- lacking_classes: whether the population lacks somebody who is published
-- reads:   sqlanon.published_equivalence_classes
-- returns: one row: classes of more rows than the population has persons
select count(*) as classes
from sqlanon.published_equivalence_classes as classes
where classes.population_size < classes.class_size
