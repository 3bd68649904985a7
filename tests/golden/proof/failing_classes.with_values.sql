-- failing_classes_of_k_anonymity: at most 20 classes that break the promise, the largest first
-- reads:   sqlanon.published_equivalence_classes, and the relations named below
-- returns: one row per failing class: its size and measure, and its quasi-identifiers
select
    classes.class_size,
    judged_classes.class_size,
    classes."the ""age""",
    classes.quasi_identifier_2,
    classes.quasi_identifier_3
from sqlanon.published_equivalence_classes as classes
left join (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   sqlanon.published_equivalence_classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes."the ""age""",
        classes.quasi_identifier_2,
        classes.quasi_identifier_3,
        classes.class_size,
        classes.class_size >= 5 as satisfied
    from sqlanon.published_equivalence_classes as classes
) as judged_classes
    on judged_classes."the ""age""" is not distinct from classes."the ""age"""
    and judged_classes.quasi_identifier_2
        is not distinct from classes.quasi_identifier_2
    and judged_classes.quasi_identifier_3
        is not distinct from classes.quasi_identifier_3
where not coalesce(judged_classes.satisfied, false)
order by
    classes.class_size desc,
    classes."the ""age""",
    classes.quasi_identifier_2,
    classes.quasi_identifier_3
limit 20
