-- bucket_nodes: the levels to which each bucket is generalized
-- reads:   bucket_floors
-- returns: one row per bucket
--   level_of_age   level of age
--   level_of_zip   level of zip
select
    bucket_floors.bucket,
    bucket_floors.floor_of_age as level_of_age,
    bucket_floors.floor_of_zip as level_of_zip
from sqlanon.bucket_floors
