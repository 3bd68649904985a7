-- attack_of_homogeneity_4_unmatched: whether somebody with known quasi-identifiers fits each
--   published row
-- reads:   sqlanon.attack_of_homogeneity_4_classes, sqlanon.attack_of_homogeneity_4_beliefs
-- returns: one row: the rows of classes that nobody fits
select coalesce(cast(sum(classes.class_size) as bigint), 0) as row_count
from sqlanon.attack_of_homogeneity_4_classes as classes
where not exists (
    select 1
    from sqlanon.attack_of_homogeneity_4_beliefs as beliefs
    where beliefs.quasi_identifier_1 is not distinct from classes.quasi_identifier_1
        and beliefs.companion_1 is not distinct from classes.companion_1
)
