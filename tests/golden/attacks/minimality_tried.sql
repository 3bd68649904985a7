-- attack_of_minimality_algorithm_11_tried: how many classes the attack covers
-- reads:   sqlanon.published_equivalence_classes, attack_of_minimality_algorithm_11_groups
-- returns: one row: the number of classes, of classes whose persons are not known, and of classes
--   with more than 2000 rows; and the rows of both kinds, which are not tried
select
    count(*) as class_count,
    count(*) filter (where known_classes.class_size is null) as unknown_count,
    count(*) filter (where known_classes.class_size > 2000) as large_count,
    coalesce(
        cast(sum(classes.class_size) filter (
            where known_classes.class_size is null or known_classes.class_size > 2000
        ) as bigint),
        0
    ) as open_rows
from sqlanon.published_equivalence_classes as classes
left join (
    select distinct groups.age, groups.zip, groups.class_size
    from sqlanon.attack_of_minimality_algorithm_11_groups as groups
) as known_classes
    on known_classes.age is not distinct from classes.age
    and known_classes.zip is not distinct from classes.zip
