-- attack_of_intersection_12: a person has a value that the person's classes in both releases have;
--   it is disclosed if there is only one
-- source:  Ganta, Kasiviswanathan and Smith 2008, Composition attacks, KDD; Xiao and Tao 2007,
--   m-invariance, SIGMOD
-- reads:   sqlanon.published_equivalence_classes, attack_of_intersection_12_later_classes,
--   attack_of_intersection_12_later_values, attack_of_intersection_12_candidates
-- returns: one row per class of this release
--   rows_at_risk   rows whose value is the only value left for persons in the class, at most as
--                  many as there are such persons   [rows]
--   certainty      highest belief of the attacker: the product of a value's shares in both
--                  classes, a heuristic if more than one value is left; null if no person of
--                  the class has a value left   [0 to 1]
--   broken         true if a person has one value left; never null
-- nulls:   a null quasi-identifier is a value of its own
with class_persons as (
    select
        located.age, located.zip,
        candidates.person_count,
        candidates.candidates,
        candidates.value_text,
        candidates.certainty
    from sqlanon.attack_of_intersection_12_later_classes as located
    inner join sqlanon.attack_of_intersection_12_candidates as candidates
        on candidates.person = located.person
        and candidates.candidates > 0
),
known_values as (
    select
        class_persons.age, class_persons.zip,
        class_persons.value_text,
        sum(class_persons.person_count) as person_count
    from class_persons
    where class_persons.candidates = 1
    group by class_persons.age, class_persons.zip, class_persons.value_text
),
known_rows as (
    select
        known_values.age, known_values.zip,
        cast(sum(least(known_values.person_count, counts.value_count)) as bigint) as row_count
    from known_values
    inner join sqlanon.attack_of_intersection_12_later_values as counts
        on counts.age is not distinct from known_values.age
        and counts.zip is not distinct from known_values.zip
        and counts.value_text is not distinct from known_values.value_text
    group by known_values.age, known_values.zip
),
class_beliefs as (
    select
        class_persons.age, class_persons.zip,
        max(class_persons.certainty) as certainty
    from class_persons
    group by class_persons.age, class_persons.zip
)
select
    classes.age, classes.zip,
    classes.class_size,
    coalesce(known_rows.row_count, 0) as rows_at_risk,
    class_beliefs.certainty,
    coalesce(known_rows.row_count, 0) > 0 as broken
from sqlanon.published_equivalence_classes as classes
left join class_beliefs
    on class_beliefs.age is not distinct from classes.age
    and class_beliefs.zip is not distinct from classes.zip
left join known_rows
    on known_rows.age is not distinct from classes.age
    and known_rows.zip is not distinct from classes.zip
