-- original_matches: how many buckets some tuples of the source match; which ones depends on
--   nothing but their parts
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, membership disclosure protection
-- reads:   row_parts, bucket_parts
-- returns: one row per number of buckets
--   matching_buckets   buckets with all parts of a tuple   [buckets]
--   tuples             different tuples, at most 20000 in all   [tuples]
with original_tuples as (
    -- one row per combination of quasi-identifiers
    select distinct part_1, part_2
    from sqlanon.row_parts
),
drawn_tuples as materialized (
    select *
    from original_tuples
    order by
        md5(
            cast(part_1 as varchar)
            || ',' || cast(part_2 as varchar)
        ),
        part_1, part_2
    limit 20000
),
matches_1 as materialized (
    -- one row per beginning of tuples, of one part, and bucket that has it
    select beginnings.part_2, parts.bucket
    from (select distinct part_2 from drawn_tuples) as beginnings
    inner join sqlanon.bucket_parts as parts
        on parts.group_number = 2
        and parts.part = beginnings.part_2
),
continued_2 as materialized (
    -- one row per beginning of 2 parts and bucket that has all but the last; two separate
    -- joins, because in another order they would pair all tuples with all buckets of one part
    select beginnings.*, matches_1.bucket
    from (
        select distinct part_2, part_1 from drawn_tuples
    ) as beginnings
    inner join matches_1
        on matches_1.part_2 = beginnings.part_2
),
matches_2 as materialized (
    select continued_2.*
    from continued_2
    inner join sqlanon.bucket_parts as parts
        on parts.group_number = 1
        and parts.part = continued_2.part_1
        and parts.bucket = continued_2.bucket
),
counted_tuples as (
    -- one row per tuple
    select count(*) as matching_buckets
    from matches_2
    group by part_1, part_2
)
select matching_buckets, count(*) as tuples
from counted_tuples
group by matching_buckets
order by matching_buckets
