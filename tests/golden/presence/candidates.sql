-- presence_candidates: persons who may be in a bucket: it has their values in every column group
-- reads:   sqlanon.presence_combinations, sqlanon.presence_matches_2, sqlanon.presence_matches_1
--   the column group that leaves the fewest candidates is joined first
-- returns: one row per combination and bucket; several rows if labels of different levels match
--   value_1, ...   the published value that it matches in each column group
--   person_count   persons of the population with the combination
with matched_0 as (
    select *
    from sqlanon.presence_combinations
),
matched_1 as materialized (
    select matched.*, matches.bucket, matches.value as value_2
    from matched_0 as matched
    inner join sqlanon.presence_matches_2 as matches
        on matches.text_2 is not distinct from matched.text_2
),
matched_2 as materialized (
    select matched.*, matches.value as value_1
    from matched_1 as matched
    inner join sqlanon.presence_matches_1 as matches
        on matches.bucket = matched.bucket
        and matches.text_1 is not distinct from matched.text_1
)
select combination, bucket, value_1, value_2, person_count
from matched_2
