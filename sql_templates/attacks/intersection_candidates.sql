{#- inputs: title str, beliefs str, persons str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the values that both releases leave possible, of persons who may be in both
{% endcall %}
-- reads:   {{ beliefs }}, {{ persons }}
-- returns: one row per combination of quasi-identifiers
--   person_count     persons
--   earlier_values, later_values   different values that each release leaves
--   candidates       values that both leave: the person's is one of them; 0 contradicts that the
--                    person is in both with the same value
--   value_text       the one candidate, where candidates is 1
--   certainty        the largest share of a value, each weighed by its rows in the one release times
--                    its rows in the other: as if the two were independent   [0 to 1]
-- nulls:   certainty is null where candidates is 0; a null value_text can be a missing value
with counted_candidates as (
    select
        person,
        count(*) filter (where earlier_count > 0) as earlier_values,
        count(*) filter (where later_count > 0) as later_values,
        count(*) filter (where earlier_count > 0 and later_count > 0) as candidates,
        max(value_text) filter (where earlier_count > 0 and later_count > 0) as value_text,
        max(cast(earlier_count as double) * later_count) as largest_weight,
        sum(cast(earlier_count as double) * later_count) as weight
    from sqlanon.{{ beliefs }}
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
inner join sqlanon.{{ persons }} as persons
    on persons.person = counted_candidates.person
where counted_candidates.earlier_values > 0 and counted_candidates.later_values > 0
