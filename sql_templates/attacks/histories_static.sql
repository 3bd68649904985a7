{#- inputs: title str, rows str, tree str, fitting list[str], static list[int], by_total bool -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ title ~ ": ") %}
pseudonyms all of whose rows fit what never changes for a person{{ ", with as many rows" if by_total }}
{% endcall %}
{% call comments.wrapped("-- reads:   ") %}
{{ rows }}, {{ tree }}, {{ fitting | join(", ") }}
{% endcall %}
-- returns: one row per person
--   remaining     pseudonyms
with located as (
    select distinct
        rows.person,
        {{ "rows.row_count" if by_total else "0" }} as row_total,
        tree.position
    from sqlanon.{{ rows }} as rows
    inner join sqlanon.{{ tree }} as tree
{% for number in static %}
        {{ "on" if loop.first else "and" }} tree.at_{{ number }} = rows.at_{{ number }}
{% else %}
        on true
{% endfor %}
),
changes (row_total, position, change) as (
    -- where the number of pseudonyms changes from one combination to the next
    select distinct row_total, position, 0
    from located
{% for each in fitting %}
    union all
    select {{ "row_total" if by_total else "0" }}, first_position, pseudonyms
    from sqlanon.{{ each }}
    union all
    select {{ "row_total" if by_total else "0" }}, last_position + 1, -pseudonyms
    from sqlanon.{{ each }}
{% endfor %}
),
counted as (
    select
        row_total,
        position,
        sum(sum(change)) over (partition by row_total order by position) as remaining
    from changes
    group by row_total, position
)
select located.person, cast(counted.remaining as bigint) as remaining
from located
inner join counted
    on counted.row_total = located.row_total
    and counted.position = located.position
