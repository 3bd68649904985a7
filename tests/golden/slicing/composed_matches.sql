-- composed_matches: how many buckets the tuples match that buckets are composed of
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection
-- reads:   bucket_parts, row_parts
-- returns: one row per kind of tuple and number of buckets
--   is_original        whether some row of the source is the tuple
--   matching_buckets   buckets with all parts of a tuple   [buckets]
--   tuples             combinations of the parts of a bucket   [tuples]
with composed_tuples as materialized (
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
),
original_tuples as (
    select distinct part_1, part_2
    from sqlanon.row_parts
)
select
    original_tuples.part_1 is not null as is_original,
    composed_tuples.matching_buckets,
    count(*) as tuples
from composed_tuples
left join original_tuples
    on original_tuples.part_1 = composed_tuples.part_1
    and original_tuples.part_2 = composed_tuples.part_2
group by original_tuples.part_1 is not null, composed_tuples.matching_buckets
order by is_original, composed_tuples.matching_buckets
