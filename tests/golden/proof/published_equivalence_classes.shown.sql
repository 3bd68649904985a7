-- published_equivalence_classes: rows that share all published quasi-identifiers
-- reads:   published_combinations
-- returns: one row per class
--   class_size  persons, as published
-- nulls:   a null is a value of its own
select "the ""age""", sex, min(person_count) as class_size
from sqlanon.published_combinations
group by "the ""age""", sex
