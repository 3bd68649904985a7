{#- inputs: name str, placed str, published str, most int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
pairs of a known row and a pseudonym with a row in its class
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ placed }}, {{ published }}
{% endcall %}
-- returns: one row: the number of pairs, and the persons, without those who have more than {{ most }} rows
with sizes as (
    select class, count(*) as pseudonyms
    from sqlanon.{{ published }}
    group by class
)
select coalesce(cast(sum(sizes.pseudonyms) as bigint), 0) as pairs, count(distinct placed.person) as persons
from sqlanon.{{ placed }} as placed
inner join sizes on sizes.class = placed.class
where placed.row_count <= {{ most }}
