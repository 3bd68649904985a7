{#- inputs: title str, bounds str, cases str, class_key list[str], counted list[tuple[int, int, float | None]], promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
-- reads:   {{ bounds }}, {{ cases }}
-- returns: one row per class
--   class_size      rows, or persons, of the class
--   rows_at_risk    persons who are in every set of persons that has the labels of the class
--   certainty       largest share of these sets that a person is in; where they were not counted,
--                   a lower bound   [0 to 1]
--   broken          true if a person is certainly in the table; never null
-- nulls:   a null quasi-identifier is a value of its own
with counted_cases (case_number, certain_persons, certainty) as (
{% for number, certain, certainty in counted %}
    {{ "union all " if not loop.first }}select {{ number }}, {{ certain }}, {{ "cast(null as double)" if certainty is none else certainty | number }}
{% else %}
    select 0, 0, 0.0
    where false
{% endfor %}
)
select
{{ keys.select("bounds", class_key) }}    bounds.class_size,
    coalesce(counted_cases.certain_persons, bounds.rows_at_risk) as rows_at_risk,
    coalesce(counted_cases.certainty, bounds.certainty) as certainty,
    coalesce(counted_cases.certain_persons > 0, bounds.broken) as broken
from sqlanon.{{ bounds }} as bounds
left join sqlanon.{{ cases }} as cases
{{ keys.join("cases", "bounds", class_key) }}left join counted_cases
    on counted_cases.case_number = cases.case_number
