{#- inputs: title str, cases str, class_key list[str], counted list[tuple[int, int, float]], promise str, source str -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ cases }}, and the cases counted below
-- returns: one row per class
--   class_size      rows, or persons, of the class
--   rows_at_risk    persons who are in every set of persons that has the labels of the class
--   certainty       largest share of these sets that a person is in; where they were not counted,
--                   a lower bound   [0 to 1]
--   broken          true if a person is certainly in the table; never null
-- nulls:   a null quasi-identifier is a value of its own
with counted_cases (case_number, certain_persons, certainty) as (
{% for number, certain, certainty in counted %}
    {{ "union all " if not loop.first }}select {{ number }}, {{ certain }}, cast({{ certainty | number }} as double)
{% endfor %}
)
select
{{ keys.select("cases", class_key) }}    cases.class_size,
    counted_cases.certain_persons as rows_at_risk,
    counted_cases.certainty,
    counted_cases.certain_persons > 0 as broken
from sqlanon.{{ cases }} as cases
inner join counted_cases on counted_cases.case_number = cases.case_number
