-- published_equivalence_classes: rows of the publication that nothing tells apart
-- reads:   published_rows, and none of the numbers of the search
-- returns: one row per combination of published quasi-identifiers
--   class_size   published rows   [rows]
-- nulls:   null is one more value
select
    "the ""age""",
    satisfied as satisfied_,
    "select",
    count(*) as class_size
from sqlanon.published_rows
group by
    "the ""age""",
    satisfied,
    "select"
