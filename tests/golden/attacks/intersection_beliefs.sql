-- attack_of_intersection_12_beliefs: the values that each release leaves possible for each person
-- reads:   attack_of_intersection_12_earlier_classes, attack_of_intersection_12_earlier_values,
--   attack_of_intersection_12_later_classes, attack_of_intersection_12_later_values
-- returns: one row per person and value that occurs in a class of the person in either release
--   earlier_count   rows with the value in the person's classes in the earlier release   [rows]
--   later_count   rows with the value in the person's classes in the later release   [rows]
-- nulls:   a missing value is a value of its own
with counted_values as (
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
)
select
    person,
    value_text,
    cast(sum(earlier_count) as bigint) as earlier_count,
    cast(sum(later_count) as bigint) as later_count
from counted_values
group by person, value_text
