-- proof_of_k_anonymity: published classes that break the promise; no row means that every
--   published row shares its quasi-identifiers with at least 4 others (k = 5)
-- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
-- reads:   sqlanon.published_equivalence_classes, and the relations named below
-- returns: one row per failing class; a class that no check has judged fails
select classes.*, judged_classes.class_size as measured
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
