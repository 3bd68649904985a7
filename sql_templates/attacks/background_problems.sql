-- background_problems: weights that are none
-- reads:   background_weights
-- returns: one row
--   row_count       rows of the background   [rows]
--   wrong_rows      those whose weight is missing, no number, negative or infinite
--   repeated_rows   those that give a profile another weight for the same value
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
    from sqlanon.background_weights as background_weights
    group by background_weights.profile, background_weights.text
) as weights
