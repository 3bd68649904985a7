-- presence_match_counts: how many candidates each column group leaves
-- reads:   sqlanon.presence_matches_1, sqlanon.presence_matches_2
-- returns: one row per column group, the fewest candidates first
--   candidates   pairs of a combination of the population and a bucket   [pairs]
with counted_matches (group_number, candidates) as (
    select 1, coalesce(sum(combination_count), 0) from sqlanon.presence_matches_1
    union all select 2, coalesce(sum(combination_count), 0) from sqlanon.presence_matches_2
)
select group_number, candidates
from counted_matches
order by candidates, group_number
