-- measured_k_anonymity: the measure of the promise over all classes, and the classes that break
--   it
-- reads:   sqlanon.published_equivalence_classes, and the relations named below
-- returns: one row; a class without a judgement fails
select
    min(judged_classes.class_size) as measured,
    count(*) as class_count,
    count(*) filter (where not coalesce(judged_classes.satisfied, false)) as failing_classes,
    coalesce(
        sum(classes.class_size) filter (where not coalesce(judged_classes.satisfied, false)),
        0
    ) as failing_rows
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
