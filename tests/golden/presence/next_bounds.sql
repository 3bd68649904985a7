-- presence_bounds_1: the bounds of each cell after one more round
--   If a value has b rows, a cell has at most b minus the lower bounds of the value's other
--   cells, and at least b minus their upper bounds. The bounds of every round are valid; the
--   last round changes nothing.
-- reads:   sqlanon.presence_bounds_0
-- returns: one row per cell, as before
with totals as (
    select
        *,
        sum(lowest) over (partition by bucket, value_1) as lowest_of_1,
        sum(highest) over (partition by bucket, value_1) as highest_of_1,
        sum(lowest) over (partition by bucket, value_2) as lowest_of_2,
        sum(highest) over (partition by bucket, value_2) as highest_of_2
    from sqlanon.presence_bounds_0
),
bounds as (
    select
        *,
        greatest(
            lowest,
            rows_1 - highest_of_1 + highest,
            rows_2 - highest_of_2 + highest
        ) as next_lowest,
        least(
            highest,
            rows_1 - lowest_of_1 + lowest,
            rows_2 - lowest_of_2 + lowest
        ) as next_highest
    from totals
)
select
    bucket,
    value_1, value_2,
    person_count,
    rows_1, rows_2,
    cast(next_lowest as bigint) as lowest,
    cast(next_highest as bigint) as highest,
    next_lowest > lowest or next_highest < highest as changed
from bounds
