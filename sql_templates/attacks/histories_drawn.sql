{#- inputs: title str, rows str, most int, persons int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the persons whose rows are compared with those of pseudonyms, always the same ones
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ rows }}
{% endcall %}
-- returns: one row per person with {{ most }} rows at most; {{ persons }} persons at most
select person
from sqlanon.{{ rows }}
where known_number = 1
    and row_count <= {{ most }}
order by md5(cast(person as varchar)), person
limit {{ persons }}
