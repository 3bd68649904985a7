-- original_matches: how many buckets the tuples of the source match
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection
-- reads:   row_parts, bucket_parts
-- returns: one row per number of buckets
--   matching_buckets   buckets with all parts of a tuple   [buckets]
--   tuples             combinations of quasi-identifiers of the source   [tuples]
with original_tuples as (
    -- one row per combination of quasi-identifiers
    select distinct
        part_1,
        part_2
    from sqlanon.row_parts
),
matched_1 as (
    -- one row per tuple and bucket that has its parts of 1 column group
    select
        tuples.*,
        parts.bucket
    from original_tuples as tuples
    inner join sqlanon.bucket_parts as parts
        on parts.group_number = 2
        and parts.part = tuples.part_2
),
matched_2 as (
    -- one row per tuple and bucket that has its parts of 2 column groups
    select
        tuples.*
    from matched_1 as tuples
    inner join sqlanon.bucket_parts as parts
        on parts.group_number = 1
        and parts.part = tuples.part_1
        and parts.bucket = tuples.bucket
),
counted_tuples as (
    -- one row per tuple
    select count(*) as matching_buckets
    from matched_2
    group by
        part_1,
        part_2
)
select matching_buckets, count(*) as tuples
from counted_tuples
group by matching_buckets
order by matching_buckets
