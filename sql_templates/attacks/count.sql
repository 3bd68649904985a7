{#- inputs: title str, relation str, condition str -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the number of rows{{ " for which " ~ condition if condition }}
{% endcall %}
-- reads:   {{ relation }}
-- returns: one row
select count(*)
from {{ relation }}
{% if condition %}
where {{ condition }}
{% endif %}
