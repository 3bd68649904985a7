-- attack_of_intersection_12_told: what both releases together tell of the persons
-- reads:   attack_of_intersection_12_persons, attack_of_intersection_12_candidates
-- returns: one row
--   persons                in the population   [persons]
--   persons_in_both        who may be in both releases; the others below are among them
--   persons_known          with one value left
--   persons_shrunk         with fewer values left than the better of the releases leaves alone
--   values_lost            by how many fewer, on average over these   [values]; null if there are none
--   persons_inconsistent   with no value left: it has changed, or they are not in both
--   signatures_changed     whose classes do not have the same set of values in both
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
    ) as signatures_changed
from sqlanon.attack_of_intersection_12_candidates
