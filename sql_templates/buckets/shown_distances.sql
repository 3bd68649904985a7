-- shown_distances: the distance of each bucket to the table, for readers
-- reads:   bucket_distances
-- returns: one row per bucket
select *
from sqlanon.bucket_distances
order by bucket
