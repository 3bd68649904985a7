{#- inputs: title str, published str, placed str, counts bool -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the persons of each class
{% endcall %}
{% if counts %}
{% call comments.wrapped("-- reads:   ") %}
{{ published }}
{% endcall %}
-- returns: one row per class
--   persons       as the publication says
select class, max(persons) as persons
from sqlanon.{{ published }}
group by class
{% else %}
{% call comments.wrapped("-- reads:   ") %}
{{ published }}, {{ placed }}
{% endcall %}
-- returns: one row per class
--   persons       those whose rows fit it, and at most its rows
select published.class, least(published.persons, count(distinct placed.person)) as persons
from sqlanon.{{ published }} as published
inner join sqlanon.{{ placed }} as placed on placed.class = published.class
group by published.class, published.persons
{% endif %}
