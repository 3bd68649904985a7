-- pairs_of_matched_parts_1_2: the pairs of parts of a run of buckets
-- reads:   matched_parts_1_2
-- returns: one row per pair: bucket, its parts by number, how often each is there, and both in one source row
select bucket, first, second, first_count, second_count, most
from sqlanon.matched_parts_1_2
where run = 0
order by bucket, first, second
