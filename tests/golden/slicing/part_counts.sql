-- part_counts: how many different parts of each column group a bucket has; it is composed of as
--   many tuples as the product of these numbers
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection
-- reads:   bucket_parts
-- returns: one row per bucket
--   parts_1, ...   different parts   [parts]
select
    count(*) filter (where group_number = 1) as parts_1,
    count(*) filter (where group_number = 2) as parts_2,
    bucket
from sqlanon.bucket_parts
group by bucket
order by bucket
