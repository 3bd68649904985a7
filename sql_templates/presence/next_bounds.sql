{#- inputs: name str, previous str, group_count int -#}
{% import "_comments.sql" as comments %}
{% import "_numbered.sql" as numbered %}
{{ comments.line("-- " ~ name ~ ":", "the bounds of each cell after one more round") }}
--   If a value has b rows, a cell has at most b minus the lower bounds of the value's other
--   cells, and at least b minus their upper bounds. The bounds of every round are valid; the
--   last round changes nothing.
-- reads:   {{ previous }}
-- returns: one row per cell, as before
with totals as (
    select
        *{% for number in range(1, group_count + 1) %},
        sum(lowest) over (partition by bucket, value_{{ number }}) as lowest_of_{{ number }},
        sum(highest) over (partition by bucket, value_{{ number }}) as highest_of_{{ number }}{% endfor %}

    from {{ previous }}
),
bounds as (
    select
        *,
        greatest(
            lowest{% for number in range(1, group_count + 1) %},
            rows_{{ number }} - highest_of_{{ number }} + highest{% endfor %}

        ) as next_lowest,
        least(
            highest{% for number in range(1, group_count + 1) %},
            rows_{{ number }} - lowest_of_{{ number }} + lowest{% endfor %}

        ) as next_highest
    from totals
)
select
    bucket,
    {{ numbered.list("value", group_count) }},
    person_count,
    {{ numbered.list("rows", group_count) }},
    cast(next_lowest as bigint) as lowest,
    cast(next_highest as bigint) as highest,
    next_lowest > lowest or next_highest < highest as changed
from bounds
