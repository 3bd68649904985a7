-- proof_of_k_anonymity: classes of the publication that break the promise; no row means that it holds
-- returns: one row per failing class
select *
from (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4 others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   sqlanon.published_equivalence_classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5, never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes."the ""age""",
        classes.satisfied_,
        classes."select",
        classes.class_size,
        classes.class_size >= 5 as satisfied
    from sqlanon.published_equivalence_classes as classes
) as judged_classes
where not judged_classes.satisfied
