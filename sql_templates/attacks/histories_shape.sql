{#- inputs: title str, rows str, numbers list[int] -#}
-- {{ title }}: which of the known columns never change for a person
-- reads:   {{ rows }}
-- returns: one row
--   persons, rows, most_rows   persons, their rows, and the most rows of one
--   static_N, values_N   whether column N never changes, and how many values it has
select
    count(*) as persons,
    cast(coalesce(sum(row_count), 0) as bigint) as rows,
    max(row_count) as most_rows,
{% for number in numbers %}
    bool_and(static_{{ number }}) as static_{{ number }},
    (select count(distinct rows.at_{{ number }}) from sqlanon.{{ rows }} as rows) as values_{{ number }}{{ "," if not loop.last }}
{% endfor %}
from (
    select
        person,
        max(row_count) as row_count,
{% for number in numbers %}
        min(text_{{ number }}) = max(text_{{ number }}) as static_{{ number }}{{ "," if not loop.last }}
{% endfor %}
    from sqlanon.{{ rows }}
    group by person
) as persons
