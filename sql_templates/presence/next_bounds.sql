{#- inputs: name str, previous str, group_count int -#}
{% import "_comments.sql" as comments %}
{% call comments.wrapped("-- " ~ name ~ ": ") %}
the bounds of each cell after one more round
{% endcall %}
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
{% for number in range(1, group_count + 1) %}
    value_{{ number }},
{% endfor %}
    person_count,
{% for number in range(1, group_count + 1) %}
    rows_{{ number }},
{% endfor %}
    cast(next_lowest as bigint) as lowest,
    cast(next_highest as bigint) as highest,
    next_lowest > lowest or next_highest < highest as changed
from bounds
