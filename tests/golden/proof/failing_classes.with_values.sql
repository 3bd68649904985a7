-- failing_classes_of_k_anonymity: at most 20 classes that break the promise, the largest first
-- reads:   sqlanon.published_equivalence_classes, and the relations named below
-- returns: one row per failing class: its size and measure, and its quasi-identifiers
select
    classes.class_size,
    judged_classes.class_size,
    classes."the ""age""", classes.quasi_identifier_2, classes.quasi_identifier_3
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
where not coalesce(judged_classes.satisfied, false)
order by
    classes.class_size desc, classes."the ""age""", classes.quasi_identifier_2,
    classes.quasi_identifier_3
limit 20
