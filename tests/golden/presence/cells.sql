-- presence_cells: candidates that the publication does not distinguish
-- reads:   sqlanon.presence_candidates
-- returns: one row per bucket and combination of its published values
--   person_count   candidates in the cell   [persons]
with placed_persons as (
    -- each combination once, because everything that it matches is merged
    select distinct combination, bucket, value_1, value_2, person_count
    from sqlanon.presence_candidates
)
select bucket, value_1, value_2, cast(sum(person_count) as bigint) as person_count
from placed_persons
group by bucket, value_1, value_2
