-- background_problems: background rows whose weight is not valid
-- reads:   background_weights
-- returns: one row
--   row_count       rows of the background   [rows]
--   wrong_rows      rows whose weight is missing, not a number, negative, or infinite   [rows]
--   repeated_rows   rows that give a profile a second weight for the same value   [rows]
select
    coalesce(cast(sum(weights.row_count) as bigint), 0) as row_count,
    coalesce(cast(sum(weights.wrong_rows) as bigint), 0) as wrong_rows,
    coalesce(cast(sum(weights.row_count - 1) as bigint), 0) as repeated_rows
from (
    select
        count(*) as row_count,
        count(*) filter (
            where background_weights.weight is null
                or background_weights.weight < 0
                or background_weights.weight > 1e300
                or isnan(background_weights.weight)
        ) as wrong_rows
    from sqlanon.background_weights
    group by background_weights.profile, background_weights.text
) as weights
