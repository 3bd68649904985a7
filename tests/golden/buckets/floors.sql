-- floors: the levels of every bucket, from the lowest possible to the highest useful level
-- reads:   bucket_floors
-- returns: one row per bucket: its number, its lowest levels, its highest levels
select
    bucket,
    floor_of_age,
    floor_of_zip,
    ceiling_of_age,
    ceiling_of_zip
from sqlanon.bucket_floors
order by bucket
