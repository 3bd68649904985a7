{#- inputs: title str, full_hits str, most int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
what is to be matched
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ full_hits }}
{% endcall %}
-- returns: one row per person and pseudonym that take a matching, {{ most }} at most
select person, edges
from sqlanon.{{ full_hits }}
where edges is not null
order by person, pseudonym
limit {{ most }}
