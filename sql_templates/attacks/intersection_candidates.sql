{#- inputs: title str, class_key list[str], releases list[tuple[str, str, str]], persons str -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: the values that both releases leave possible for persons who may be in both
-- reads:   {% for release, located, counts in releases %}{{ located }}, {{ counts }}, {% endfor %}{{ persons }}
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
{% for release, located, counts in releases %}
    {{ "union all " if not loop.first }}select
        located.person,
        counts.value_text,
{% for other, other_located, other_counts in releases %}
        {{ "counts.value_count" if other == release else "0" }} as {{ other }}_count{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ located }} as located
    inner join sqlanon.{{ counts }} as counts
{{ keys.join("counts", "located", class_key, true) }}{% endfor %}
),
counted_values as (
    -- one row per person and value that occurs in a class of the person in either release
    select
        person,
        value_text,
{% for release, located, counts in releases %}
        cast(sum({{ release }}_count) as bigint) as {{ release }}_count{{ "," if not loop.last }}
{% endfor %}
    from class_values
    group by person, value_text
),
counted_candidates as (
    select
        person,
        count(*) filter (where earlier_count > 0) as earlier_values,
        count(*) filter (where later_count > 0) as later_values,
        count(*) filter (where earlier_count > 0 and later_count > 0) as candidates,
        any_value(value_text) filter (where earlier_count > 0 and later_count > 0) as value_text,
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
    counted_candidates.largest_weight / nullif(counted_candidates.weight, 0) as certainty
from counted_candidates
inner join sqlanon.{{ persons }} as persons
    on persons.person = counted_candidates.person
where counted_candidates.earlier_values > 0 and counted_candidates.later_values > 0
