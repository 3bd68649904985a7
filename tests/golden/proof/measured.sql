-- measured_k_anonymity: the measure of the promise over all classes, and the classes that break
--   it
-- reads:   sqlanon.published_equivalence_classes, and the relations named below
-- returns: one row; a class that no check has judged fails
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
    select
        "the ""age""", quasi_identifier_2, quasi_identifier_3, class_size,
        class_size >= 5 as satisfied
    from sqlanon.published_equivalence_classes as classes
) as judged_classes
    on judged_classes."the ""age""" is not distinct from classes."the ""age"""
    and judged_classes.quasi_identifier_2 is not distinct from classes.quasi_identifier_2
    and judged_classes.quasi_identifier_3 is not distinct from classes.quasi_identifier_3
