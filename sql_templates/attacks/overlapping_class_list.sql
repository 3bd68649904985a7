{#- inputs: title str, classes str -#}
-- {{ title }}: the rows of each class
-- reads:   {{ classes }}
-- returns: one row per class: its number, its rows, and the persons who fit it
select class_number, class_size, population_size
from {{ classes }}
order by class_number
