-- floors: the levels of every bucket, from the lowest possible to the highest useful level
-- reads:   bucket_floors
-- returns: one row per bucket: its number, its lowest levels, its highest levels
select bucket, floor_1, floor_2, own_1, own_2
from sqlanon.bucket_floors
order by bucket
