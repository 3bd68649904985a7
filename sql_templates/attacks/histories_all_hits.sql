{#- inputs: title str, full_hits str, matched list[tuple[int, int]] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
pseudonyms with as many rows as a person, and a different one for each of hers
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ full_hits }}
{% endcall %}
-- returns: one row per person with such a pseudonym
--   remaining     pseudonyms
with matched (person, matchings) as (
{% for person, count in matched %}
    {{ "union all " if not loop.first }}select {{ person }}, {{ count }}
{% else %}
    select 0, 0
    where false
{% endfor %}
),
placed (person, pseudonyms) as (
    select person, count(*)
    from sqlanon.{{ full_hits }}
    where is_placed
    group by person
    union all
    select person, matchings
    from matched
)
select person, cast(sum(pseudonyms) as bigint) as remaining
from placed
group by person
