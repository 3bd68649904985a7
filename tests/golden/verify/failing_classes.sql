-- failing_classes_of_k_anonymity: classes that fail the promise, the largest first, 20 at most
-- reads:   the relations named below
-- returns: one row per failing class: its size, what decides; no value of a row
select
    classes.class_size,
    judged_classes.class_size
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
inner join sqlanon.published_equivalence_classes as classes
    on classes."the ""age""" is not distinct from judged_classes."the ""age"""
    and classes.satisfied_ is not distinct from judged_classes.satisfied_
    and classes."select" is not distinct from judged_classes."select"
where not judged_classes.satisfied
order by classes.class_size desc, classes."the ""age""", classes.satisfied_, classes."select"
limit 20
