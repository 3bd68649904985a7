-- published_equivalence_classes: rows that share all published quasi-identifiers
-- reads:   published_rows
-- returns: one row per class
--   class_size  published rows
-- nulls:   null is one more value
select
    "the ""age""",
    sex,
    count(*) as class_size
from sqlanon.published_rows
group by
    "the ""age""",
    sex
