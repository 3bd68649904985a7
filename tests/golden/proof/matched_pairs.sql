-- pairs_of_matched_parts_1_2: the pairs of parts in a run of buckets
-- reads:   matched_parts_1_2
-- returns: one row per pair: its bucket, the numbers of its parts, how often the bucket has each
--   part, and how many source rows have both
select bucket, first, second, first_count, second_count, most
from sqlanon.matched_parts_1_2
where run = 0
order by bucket, first, second
