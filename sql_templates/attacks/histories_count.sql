{#- inputs: name str, relation str, known_number int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
the number of {{ "persons with " ~ known_number ~ " rows or more" if known_number else "rows" }}
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ relation }}
{% endcall %}
-- returns: one row
select count(*)
from sqlanon.{{ relation }}
{% if known_number %}
where known_number = {{ known_number }}
{% endif %}
