-- attack_of_membership_9_class_list: the rows of each class
-- reads:   sqlanon.overlapping_sizes
-- returns: one row per class: its number, its rows, and the persons who fit it
select class_number, class_size, population_size
from sqlanon.overlapping_sizes
order by class_number
