{#- inputs: -#}
-- smallest_class: the risk of the person who is found most easily is 1 / class_size
-- reads:   published_equivalence_classes
-- returns: one row
--   class_size   size of the smallest class; 0 if there is none   [rows, or persons with a unit]
select coalesce(min(class_size), 0) as class_size
from sqlanon.published_equivalence_classes
