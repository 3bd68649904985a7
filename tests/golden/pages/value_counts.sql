-- value_counts: the values of the "age", and how many rows have them
--   A value is shown only if 5 or more are published with it, and of these the 12 with
--   the most rows.
-- reads:   sqlanon.published_combinations
-- returns: one row per shown value, and one for all others
--   value           the value
--   is_shown        false for all others together
--   value_count     values                            [values]
--   most_members    of the value with the most, rows or persons of the promises
--   published_rows  published rows with them          [rows]
-- nulls:   a missing value is null, and so is the value of all others
with published_values as (
    select
        cast(counted."the ""age""" as varchar) as value,
        cast(sum(row_count) as bigint) as row_count,
        sum(row_count) as member_count
    from sqlanon.published_combinations as counted
    group by 1
),
counted_values as (
    select value, row_count as published_rows, member_count
    from published_values
),
ranked_values as (
    select
        *,
        member_count >= 5 and row_number() over (
            order by member_count >= 5 desc, member_count desc, value
        ) <= 12 as is_shown
    from counted_values
)
select
    case when is_shown then value end as value,
    is_shown,
    count(*) as value_count,
    cast(max(member_count) as bigint) as most_members,
    cast(sum(published_rows) as bigint) as published_rows
from ranked_values
group by case when is_shown then value end, is_shown
order by is_shown desc, sum(member_count) desc, value
