{#- inputs: title str, classes str, persons str, static list[int] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the classes by the columns that never change
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ classes }}, {{ persons }}
{% endcall %}
-- returns: one row per combination of their ranges
--   extent        its number
--   persons       of its largest class
with ranges as (
    select {% for number in static %}classes.first_{{ number }}, classes.last_{{ number }}, {% endfor %}max(persons.persons) as persons
    from sqlanon.{{ classes }} as classes
    inner join sqlanon.{{ persons }} as persons on persons.class = classes.class
    group by all
)
select *, row_number() over (order by {% for number in static %}first_{{ number }}, last_{{ number }}, {% endfor %}persons) as extent
from ranges
