{#- inputs: name str, rows str, numbers list[int] -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
the number of distinct combinations of places
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ rows }}
{% endcall %}
-- returns: one row
select count(*)
from (
    select distinct {% for number in numbers %}at_{{ number }}{{ ", " if not loop.last }}{% else %}0 as at_0{% endfor %}

    from sqlanon.{{ rows }}
) as points
