{#- inputs: classes str -#}
-- lacking_classes: whether the population lacks somebody who is published
-- reads:   {{ classes }}
-- returns: one row: classes of more rows than the population has persons
select count(*) as classes
from {{ classes }} as classes
where classes.population_size < classes.class_size
