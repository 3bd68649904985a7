-- attack_of_intersection_12_candidates: the values that both releases leave possible for persons
--   who may be in both
-- reads:   attack_of_intersection_12_earlier_classes, attack_of_intersection_12_earlier_values,
--   attack_of_intersection_12_later_classes, attack_of_intersection_12_later_values,
--   attack_of_intersection_12_persons
-- returns: one row per combination of quasi-identifiers
--   person_count     [persons]
--   earlier_values, later_values   different values that each release leaves   [values]
--   candidates       values that both releases leave; one of them is the person's. If there is
--                    none, the person is not in both releases with the same value   [values]
--   value_text       the value, if there is only one candidate
--   certainty        largest share of a value; the weight of a value is the product of its rows
--                    in both releases, as if they were independent   [0 to 1]
-- nulls:   certainty is null if there is no candidate; a null value_text can be a missing value
with class_values as (
    select
        located.person,
        counts.value_text,
        counts.value_count as earlier_count,
        0 as later_count
    from sqlanon.attack_of_intersection_12_earlier_classes as located
    inner join sqlanon.attack_of_intersection_12_earlier_values as counts
        on counts.age is not distinct from located.age
        and counts.zip is not distinct from located.zip
    union all select
        located.person,
        counts.value_text,
        0 as earlier_count,
        counts.value_count as later_count
    from sqlanon.attack_of_intersection_12_later_classes as located
    inner join sqlanon.attack_of_intersection_12_later_values as counts
        on counts.age is not distinct from located.age
        and counts.zip is not distinct from located.zip
),
counted_values as (
    -- one row per person and value that occurs in a class of the person in either release
    select
        person,
        value_text,
        cast(sum(earlier_count) as bigint) as earlier_count,
        cast(sum(later_count) as bigint) as later_count
    from class_values
    group by person, value_text
),
counted_candidates as (
    select
        person,
        count(*) filter (where earlier_count > 0) as earlier_values,
        count(*) filter (where later_count > 0) as later_values,
        count(*) filter (where earlier_count > 0 and later_count > 0) as candidates,
        max(value_text) filter (where earlier_count > 0 and later_count > 0) as value_text,
        max(cast(earlier_count as double) * later_count) as largest_weight,
        sum(cast(earlier_count as double) * later_count) as weight
    from counted_values
    group by person
)
select
    counted_candidates.person,
    persons.person_count,
    counted_candidates.earlier_values,
    counted_candidates.later_values,
    counted_candidates.candidates,
    case
        when counted_candidates.candidates = 1 then counted_candidates.value_text
    end as value_text,
    case
        when counted_candidates.candidates > 0
            then counted_candidates.largest_weight / counted_candidates.weight
    end as certainty
from counted_candidates
inner join sqlanon.attack_of_intersection_12_persons as persons
    on persons.person = counted_candidates.person
where counted_candidates.earlier_values > 0 and counted_candidates.later_values > 0
