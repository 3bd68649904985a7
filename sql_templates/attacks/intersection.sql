{#- inputs: title str, classes str, class_key list[str], located str, counts str, candidates str, promise str, source str -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ located }}, {{ counts }}, {{ candidates }}
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
{{ keys.select("located", class_key, true) }}        candidates.person_count,
        candidates.candidates,
        candidates.value_text,
        candidates.certainty
    from sqlanon.{{ located }} as located
    inner join sqlanon.{{ candidates }} as candidates
        on candidates.person = located.person
        and candidates.candidates > 0
),
known_values as (
    select
{{ keys.select("class_persons", class_key, true) }}        class_persons.value_text,
        sum(class_persons.person_count) as person_count
    from class_persons
    where class_persons.candidates = 1
    group by {{ keys.list("class_persons", class_key, last=["class_persons.value_text"]) }}
),
known_rows as (
    select
{{ keys.select("known_values", class_key, true) }}        cast(sum(least(known_values.person_count, counts.value_count)) as bigint) as row_count
    from known_values
    inner join sqlanon.{{ counts }} as counts
{{ keys.join("counts", "known_values", class_key, true) }}        and counts.value_text is not distinct from known_values.value_text
    group by {{ keys.list("known_values", class_key) }}
),
class_beliefs as (
    select
{{ keys.select("class_persons", class_key, true) }}        max(class_persons.certainty) as certainty
    from class_persons
    group by {{ keys.list("class_persons", class_key) }}
)
select
{{ keys.select("classes", class_key) }}    classes.class_size,
    coalesce(known_rows.row_count, 0) as rows_at_risk,
    class_beliefs.certainty,
    coalesce(known_rows.row_count, 0) > 0 as broken
from {{ keys.named(classes, "classes") }}
left join class_beliefs
{{ keys.join("class_beliefs", "classes", class_key) }}left join known_rows
{{ keys.join("known_rows", "classes", class_key) }}