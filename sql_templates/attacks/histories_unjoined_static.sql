{#- inputs: title str, rows str, tree str, fitting list[str], static list[int] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
where nothing joins rows, persons of the largest class that what never changes fits
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ rows }}, {{ tree }}, {{ fitting | join(", ") }}
{% endcall %}
-- returns: one row per person who fits a class
--   remaining     persons, at least
with points as (
{% for each in fitting %}
    {{ "union all " if not loop.first }}select persons, unnest(range(first_position, last_position + 1)) as position
    from sqlanon.{{ each }}
{% endfor %}
)
select rows.person, max(points.persons) as remaining
from sqlanon.{{ rows }} as rows
inner join sqlanon.{{ tree }} as tree
{% for number in static %}
    {{ "on" if loop.first else "and" }} tree.at_{{ number }} = rows.at_{{ number }}
{% else %}
    on true
{% endfor %}
inner join points on points.position = tree.position
where rows.known_number = 1
group by rows.person
