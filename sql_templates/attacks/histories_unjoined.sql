{#- inputs: title str, placed str, persons str, first int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
where nothing joins rows, each known row leaves the persons of its class
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ placed }}, {{ persons }}
{% endcall %}
-- returns: one row per person with a row that fits a class
--   remaining     persons, for the row that leaves the fewest{{ " of the first " ~ first if first }}
with known_rows as (
    select placed.person, placed.known_number, max(persons.persons) as persons
    from sqlanon.{{ placed }} as placed
    inner join sqlanon.{{ persons }} as persons on persons.class = placed.class
{% if first %}
    where placed.known_number <= {{ first }}
{% endif %}
    group by placed.person, placed.known_number
)
select person, min(persons) as remaining
from known_rows
group by person
