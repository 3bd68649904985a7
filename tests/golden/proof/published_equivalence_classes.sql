-- published_equivalence_classes: rows that share all published quasi-identifiers
-- reads:   published_combinations
-- returns: one row per class
--   class_size  published rows
-- nulls:   a null is a value of its own
select
    "the ""age""", quasi_identifier_2, quasi_identifier_3,
    cast(sum(row_count) as bigint) as class_size
from sqlanon.published_combinations
group by "the ""age""", quasi_identifier_2, quasi_identifier_3
