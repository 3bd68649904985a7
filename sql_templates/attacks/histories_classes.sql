{#- inputs: title str, published str, numbers list[int] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
the published classes, by the known columns
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ published }}
{% endcall %}
-- returns: one row per class: first and last place of each column
select distinct class{% for number in numbers %}, first_{{ number }}, last_{{ number }}{% endfor %}

from sqlanon.{{ published }}
