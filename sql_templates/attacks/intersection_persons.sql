{#- inputs: name str, persons str, candidates str -#}
-- {{ name }}: what both releases together disclose about the persons
-- reads:   {{ persons }}, {{ candidates }}
-- returns: one row
--   persons                persons in the population   [persons]
--   persons_in_both        persons who may be in both releases; the following count among these
--   persons_known          persons with one value left   [persons]
--   persons_shrunk         persons with fewer values left than either release alone leaves
--   values_lost            mean reduction for these persons; null if there are none   [values]
--   persons_inconsistent   persons with no value left: it has changed, or they are not in both
--   signatures_changed     persons whose classes have different sets of values in the releases
select
    (
        select cast(coalesce(sum(person_count), 0) as bigint)
        from sqlanon.{{ persons }}
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
from sqlanon.{{ candidates }}
