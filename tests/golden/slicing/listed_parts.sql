-- listed_parts: the parts of every bucket, from which tuples are drawn
-- reads:   bucket_parts
-- returns: one row per bucket, column group and part, as numbers
select bucket, group_number, part
from sqlanon.bucket_parts
order by bucket, group_number, part
