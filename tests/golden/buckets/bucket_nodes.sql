-- bucket_nodes: the levels to which each bucket is generalized
-- reads:   bucket_floors
-- returns: one row per bucket
--   level_N   level of quasi-identifier N
with raised as (
    -- buckets whose columns are allowed one by one but not together, as exact counting found
    select *
    from (values
        (cast(null as integer), cast(null as integer), cast(null as integer))
    ) as listed (bucket, level_1, level_2)
    where bucket is not null
)
select
    bucket_floors.bucket,
    coalesce(raised.level_1, bucket_floors.floor_1) as level_1,
    coalesce(raised.level_2, bucket_floors.floor_2) as level_2
from sqlanon.bucket_floors as bucket_floors
left join raised on raised.bucket = bucket_floors.bucket
