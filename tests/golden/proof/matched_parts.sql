-- matched_parts_1_2: the parts of a bucket that may have been in the same source row
--   first   age, zip
--   second  disease
-- reads:   published_rows, dealt_rows, row_combinations
-- returns: one row per bucket and pair of its parts that occurs in a source row; one row for a part
--   without such a pair. Buckets are left out if source rows have all pairs of their parts, often
--   enough: these parts can come from source rows
--   first, second               numbers of the parts
--   first_count, second_count   rows of the bucket with each part   [rows]
--   most                        source rows with both parts   [rows]
--   run                         number of the run; a run has buckets with about 200000 pairs;
--                               null for a bucket with more than 20000 pairs
-- nulls:   a missing value is a value of its own
with source_parts as (
    select
        cast(age as varchar) as first_1, cast(zip as varchar) as first_2,
        cast(disease as varchar) as second_1, count(*) as row_count
    from sqlanon.dealt_rows as assigned_rows
    inner join sqlanon.row_combinations as combinations
        on combinations.combination = assigned_rows.combination
    group by all
),
first_parts as (
    select first_1, first_2, row_number() over () as part
    from source_parts
    group by first_1, first_2
),
second_parts as (
    select second_1, row_number() over () as part
    from source_parts
    group by second_1
),
pairs as (
    select first_parts.part as first, second_parts.part as second, source_parts.row_count
    from source_parts
    inner join first_parts
        on first_parts.first_1 is not distinct from source_parts.first_1
        and first_parts.first_2 is not distinct from source_parts.first_2
    inner join second_parts
        on second_parts.second_1 is not distinct from source_parts.second_1
),
bucket_firsts as (
    select published.bucket, first_parts.part, count(*) as part_count
    from (
        select cast(age as varchar) as first_1, cast(zip as varchar) as first_2, bucket
        from sqlanon.published_rows
    ) as published
    inner join first_parts
        on first_parts.first_1 is not distinct from published.first_1
        and first_parts.first_2 is not distinct from published.first_2
    group by published.bucket, first_parts.part
),
bucket_seconds as (
    select published.bucket, second_parts.part, count(*) as part_count
    from (
        select cast(disease as varchar) as second_1, bucket
        from sqlanon.published_rows
    ) as published
    inner join second_parts
        on second_parts.second_1 is not distinct from published.second_1
    group by published.bucket, second_parts.part
),
found as (
    select
        bucket_firsts.bucket,
        bucket_firsts.part as first,
        bucket_seconds.part as second,
        bucket_firsts.part_count as first_count,
        bucket_seconds.part_count as second_count,
        pairs.row_count as most
    from bucket_firsts
    inner join pairs on pairs.first = bucket_firsts.part
    inner join bucket_seconds
        on bucket_seconds.bucket = bucket_firsts.bucket
        and bucket_seconds.part = pairs.second
),
listed as (
    select *
    from found
    union all
    select bucket, part, null, part_count, null, 0
    from bucket_firsts
    where not exists (
        select 1
        from found
        where found.bucket = bucket_firsts.bucket and found.first = bucket_firsts.part
    )
    union all
    select bucket, null, part, null, part_count, 0
    from bucket_seconds
    where not exists (
        select 1
        from found
        where found.bucket = bucket_seconds.bucket and found.second = bucket_seconds.part
    )
),
runs as (
    select
        bucket,
        case
            when count(*) <= 20000
                then cast(sum(count(*)) over (order by bucket) // 200000 as integer)
        end as run
    from listed
    group by bucket
    having count(*) < count(distinct first) * count(distinct second)
        or min(most - least(first_count, second_count)) < 0
        or count(*) > count(first)
        or count(*) > count(second)
)
select listed.*, runs.run
from listed
inner join runs on runs.bucket is not distinct from listed.bucket
