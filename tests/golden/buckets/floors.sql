-- floors: the levels of every bucket, from the lowest that could do to the highest useful
-- reads:   bucket_floors
-- returns: one row per bucket: its number, lowest levels, highest levels
select bucket, floor_1, floor_2, own_1, own_2
from sqlanon.bucket_floors
order by bucket
