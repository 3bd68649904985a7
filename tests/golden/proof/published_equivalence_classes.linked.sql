-- published_equivalence_classes: persons whose published histories are equal
-- reads:   published_combinations
-- returns: one row per class
--   class_size  persons
-- nulls:   a null is a value of its own
select history, count(distinct person) as class_size
from sqlanon.published_combinations
group by history
