{#- inputs: name str, relation str, condition str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
the number of rows{{ " with " ~ condition if condition }}
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ relation }}
{% endcall %}
-- returns: one row
select count(*)
from sqlanon.{{ relation }}
{% if condition %}
where {{ condition }}
{% endif %}
