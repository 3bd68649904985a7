-- attack_of_intersection_12_measures: what both releases together disclose about the persons
-- source:  Xiao and Tao 2007, m-invariance, SIGMOD
-- reads:   attack_of_intersection_12_persons, attack_of_intersection_12_candidates,
--   attack_of_intersection_12_earlier_values, attack_of_intersection_12_later_values
-- returns: one row
--   persons                persons in the population   [persons]
--   persons_in_both        persons who may be in both releases; the following count among these
--   persons_known          persons with one value left   [persons]
--   persons_shrunk         persons with fewer values left than either release alone leaves
--   values_lost            mean reduction for these persons; null if there are none   [values]
--   persons_inconsistent   persons with no value left: it has changed, or they are not in both
--   signatures_changed     persons whose classes have different sets of values in the releases
--   largest_m              the largest m for which both releases are m-unique: rows of the smallest
--                          class if no class contains a value twice; else 0   [rows]
with class_sizes as (
    select
        cast(sum(counts.value_count) as bigint) as class_size,
        max(counts.value_count) as largest_count
    from sqlanon.attack_of_intersection_12_earlier_values as counts
    group by counts.age, counts.zip
    union all select
        cast(sum(counts.value_count) as bigint) as class_size,
        max(counts.value_count) as largest_count
    from sqlanon.attack_of_intersection_12_later_values as counts
    group by counts.age, counts.zip
)
select
    (
        select cast(coalesce(sum(person_count), 0) as bigint)
        from sqlanon.attack_of_intersection_12_persons
    ) as persons,
    cast(coalesce(sum(person_count), 0) as bigint) as persons_in_both,
    cast(coalesce(sum(person_count) filter (where candidates = 1), 0) as bigint) as persons_known,
    cast(
        coalesce(
            sum(person_count) filter (
                where candidates between 1 and least(earlier_values, later_values) - 1
            ),
            0
        ) as bigint
    ) as persons_shrunk,
    cast(sum(person_count * (least(earlier_values, later_values) - candidates)) filter (
        where candidates between 1 and least(earlier_values, later_values) - 1
    ) as double) / sum(person_count) filter (
        where candidates between 1 and least(earlier_values, later_values) - 1
    ) as values_lost,
    cast(
        coalesce(sum(person_count) filter (where candidates = 0), 0) as bigint
    ) as persons_inconsistent,
    cast(
        coalesce(
            sum(person_count) filter (where candidates < greatest(earlier_values, later_values)),
            0
        ) as bigint
    ) as signatures_changed,
    (
        select case when max(largest_count) = 1 then min(class_size) else 0 end
        from class_sizes
    ) as largest_m
from sqlanon.attack_of_intersection_12_candidates
