-- group_order: column groups, those first whose parts are in the fewest buckets
-- reads:   bucket_parts
-- returns: one row per column group
--   group_number   number of the column group, from 1
select group_number
from sqlanon.bucket_parts
group by group_number
order by cast(count(*) as double) / count(distinct part), group_number
