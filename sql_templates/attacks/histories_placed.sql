{#- inputs: title str, rows str, tree str, fitting str, numbers list[int] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the classes that each known row fits
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ rows }}, {{ tree }}, {{ fitting }}
{% endcall %}
-- returns: one row per known row and class
--   row_count     rows of the person   [rows]
with points as (
    select class, unnest(range(first_position, last_position + 1)) as position
    from sqlanon.{{ fitting }}
)
select rows.person, rows.known_number, rows.row_count, points.class
from sqlanon.{{ rows }} as rows
inner join sqlanon.{{ tree }} as tree
{% for number in numbers %}
    {{ "on" if loop.first else "and" }} tree.at_{{ number }} = rows.at_{{ number }}
{% endfor %}
inner join points on points.position = tree.position
