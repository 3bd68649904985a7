-- fake_matches: how many buckets the tuples match that no row of the source has
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection
-- reads:   bucket_parts, row_parts
-- returns: one row per number of buckets
--   matching_buckets   buckets with all parts of a tuple   [buckets]
--   tuples             combinations of the parts of a bucket that are not in the source   [tuples]
with composed_tuples as (
    -- one row per combination of parts that some bucket has
    select
        parts_1.part as part_1,
        parts_2.part as part_2,
        count(*) as matching_buckets
    from sqlanon.bucket_parts as parts_1
    inner join sqlanon.bucket_parts as parts_2
        on parts_2.bucket = parts_1.bucket
        and parts_2.group_number = 2
    where parts_1.group_number = 1
    group by
        parts_1.part,
        parts_2.part
)
select matching_buckets, count(*) as tuples
from composed_tuples
where not exists (
    select 1
    from sqlanon.row_parts
    where
        row_parts.part_1 = composed_tuples.part_1
        and row_parts.part_2 = composed_tuples.part_2
)
group by matching_buckets
order by matching_buckets
