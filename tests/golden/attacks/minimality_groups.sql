-- attack_of_minimality_algorithm_11_groups: the persons of each class, grouped by their own
--   quasi-identifiers, if known
-- reads:   sqlanon.published_equivalence_classes, attack_of_minimality_algorithm_11_classes
-- returns: one row per class and group size; a group shares all quasi-identifiers. Only classes
--   with as many rows as persons of the population: all these persons are in the class
--   class_size    rows of the class
--   group_size    persons in a group
--   group_count   groups of this size
-- nulls:   a null quasi-identifier is a value of its own
with known_classes as (
    select
        classes.age, classes.zip,
        classes.class_size
    from sqlanon.published_equivalence_classes as classes
    inner join sqlanon.attack_of_minimality_algorithm_11_classes as located
        on located.age is not distinct from classes.age
        and located.zip is not distinct from classes.zip
    group by classes.age, classes.zip, classes.class_size
    having sum(located.person_count) = classes.class_size
)
select
    known_classes.age, known_classes.zip,
    known_classes.class_size,
    located.person_count as group_size,
    count(*) as group_count
from known_classes
inner join sqlanon.attack_of_minimality_algorithm_11_classes as located
    on located.age is not distinct from known_classes.age
    and located.zip is not distinct from known_classes.zip
group by known_classes.age, known_classes.zip, known_classes.class_size, located.person_count
