{#- inputs: classes str -#}
-- lacking_classes: whether a published person is missing from the population
-- reads:   {{ classes }}
-- returns: one row: the number of classes with more rows than persons of the population
select count(*) as classes
from {{ classes }} as classes
where classes.population_size < classes.class_size
