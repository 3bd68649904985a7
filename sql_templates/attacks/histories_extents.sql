{#- inputs: title str, published str, static list[int] -#}
-- {{ title }}: what the rows of each pseudonym together leave of the columns that never change
-- reads:   {{ published }}
-- returns: one row per pseudonym whose rows can be of one person
--   row_total     rows of the pseudonym   [rows]
--   extent        number of its ranges and rows: pseudonyms with the same ones share it
--   first_N, last_N   places of column N that all its labels cover
with extents as (
    select
        pseudonym,
{% for number in static %}
        max(first_{{ number }}) as first_{{ number }},
        min(last_{{ number }}) as last_{{ number }},
{% endfor %}
        cast(sum(slots) as integer) as row_total
    from sqlanon.{{ published }}
    group by pseudonym
)
select
    *,
    cast(
        dense_rank() over (
            order by
{% for number in static %}
                first_{{ number }}, last_{{ number }},
{% endfor %}
                row_total
        ) as integer
    ) as extent
from extents
{% for number in static %}
{{ "where" if loop.first else "    and" }} first_{{ number }} <= last_{{ number }}
{% endfor %}
