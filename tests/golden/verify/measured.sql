-- measured_k_anonymity: how well the classes hold the promise, and how many do not
-- reads:   the relations named below
-- returns: one row
select
    min(class_size) as measured,
    count(*) as class_count,
    count(*) filter (where not satisfied) as failing_classes,
    coalesce(sum(class_size) filter (where not satisfied), 0) as failing_rows
from (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4 others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   sqlanon.published_equivalence_classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5, never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        "the ""age""",
        satisfied_,
        "select",
        class_size,
        class_size >= 5 as satisfied
    from sqlanon.published_equivalence_classes
) as judged_classes
