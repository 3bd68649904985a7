-- shown_distances: how far each bucket is from the table, for readers
-- reads:   bucket_distances
-- returns: one row per bucket
select *
from sqlanon.bucket_distances
order by bucket
