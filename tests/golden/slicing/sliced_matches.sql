-- sliced_matches: the number of buckets that tuples match, and the certainty of a sensitive value
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, l-diverse slicing and matching buckets
-- reads:   sqlanon.bucketed_text, the sliced rows with their bucket; sqlanon.source_tuples_1, the
--   distinct combinations of the other columns with their row_count, in the same types
-- returns: one row
--   tuples, unmatched_tuples, several_tuples   all tuples; those that match no bucket; those that
--                              match more than one bucket   [tuples]
--   several_rows               rows of tuples that match more than one bucket   [rows]
--   mean_matching_buckets, most_matching_buckets   over rows that match a bucket   [buckets]
--   largest_probability        p(t, s) of the most likely value of disease, at most 1/l
-- nulls:   a missing value is a value of its own; the last three are null if no tuple matches
with bucket_sizes as materialized (
    -- one row per bucket
    select bucket, count(*) as bucket_rows
    from sqlanon.bucketed_text
    group by bucket
),
parts_of_age as materialized (
    -- one row per different values of age
    select age, row_number() over (order by age) as part
    from sqlanon.source_tuples_1
    group by age
),
shares_of_age as materialized (
    -- one row per bucket and part: freq(t[C_1] in B) / |B|; parts that no tuple has are left out
    select
        counted.bucket,
        parts_of_age.part,
        cast(counted.part_rows as double) / bucket_sizes.bucket_rows as share
    from (
        select age, bucket, count(*) as part_rows
        from sqlanon.bucketed_text
        group by age, bucket
    ) as counted
    inner join parts_of_age
        on parts_of_age.age is not distinct from counted.age
    inner join bucket_sizes on bucket_sizes.bucket = counted.bucket
),
parts_of_zip as materialized (
    -- one row per different values of zip
    select zip, row_number() over (order by zip) as part
    from sqlanon.source_tuples_1
    group by zip
),
shares_of_zip as materialized (
    -- one row per bucket and part: freq(t[C_2] in B) / |B|; parts that no tuple has are left out
    select
        counted.bucket,
        parts_of_zip.part,
        cast(counted.part_rows as double) / bucket_sizes.bucket_rows as share
    from (
        select zip, bucket, count(*) as part_rows
        from sqlanon.bucketed_text
        group by zip, bucket
    ) as counted
    inner join parts_of_zip
        on parts_of_zip.zip is not distinct from counted.zip
    inner join bucket_sizes on bucket_sizes.bucket = counted.bucket
),
group_order as materialized (
    -- one row: the column groups in the order of looking them up; those with few different parts
    -- per bucket come first, as they leave the fewest matches
    select
        max(group_number) filter (where place = 1) as group_1,
        max(group_number) filter (where place = 2) as group_2
    from (
        select group_number, row_number() over (order by part_count, group_number) as place
        from (
            select 1 as group_number, count(*) as part_count
            from shares_of_age
            union all
            select 2 as group_number, count(*) as part_count
            from shares_of_zip
        ) as counted
    ) as ranked
),
bucket_parts (place, bucket, part, share) as materialized (
    -- one row per bucket and part of any column group; place: that of the group in the order
    select
        case 1
            when group_order.group_1 then 1
            when group_order.group_2 then 2
        end,
        bucket,
        part,
        share
    from shares_of_age
    cross join group_order
    union all
    select
        case 2
            when group_order.group_1 then 1
            when group_order.group_2 then 2
        end,
        bucket,
        part,
        share
    from shares_of_zip
    cross join group_order
),
sensitive_shares as materialized (
    -- one row per bucket, part in the sensitive column group, and sensitive value: D(t, B)[s], its
    -- share of the rows of the bucket with this part
    select
        counted.bucket,
        0 as companion_part,
        counted.value,
        cast(counted.value_rows as double)
            / sum(counted.value_rows) over (
                partition by counted.bucket
            ) as share
    from (
        select disease as value, bucket, count(*) as value_rows
        from sqlanon.bucketed_text
        group by disease, bucket
    ) as counted
),
coded_tuples as materialized (
    -- one row per tuple: the numbers of its parts
    select
        parts_of_age.part as part_of_age,
        parts_of_zip.part as part_of_zip,
        0 as companion_part,
        tuples.row_count
    from sqlanon.source_tuples_1 as tuples
    inner join parts_of_age
        on parts_of_age.age is not distinct from tuples.age
    inner join parts_of_zip
        on parts_of_zip.zip is not distinct from tuples.zip
),
ordered_tuples as materialized (
    -- one row per tuple: its number, and its parts in the order of looking them up
    select
        row_number() over (
            order by
                part_of_age,
                part_of_zip
        ) as tuple,
        coded_tuples.*,
        case group_order.group_1
            when 1 then part_of_age
            when 2 then part_of_zip
        end as ordered_1,
        case group_order.group_2
            when 1 then part_of_age
            when 2 then part_of_zip
        end as ordered_2
    from coded_tuples
    cross join group_order
),
prefixes as materialized (
    -- one row per tuple: its beginnings, each given by the first tuple that has it
    select
        ordered_tuples.*,
        min(tuple) over (partition by ordered_1) as prefix_1,
        tuple as prefix_2
    from ordered_tuples
),
matches_1 as materialized (
    -- one row per beginning of 1 part and bucket that has all of them
    select beginnings.prefix_1, parts.bucket, parts.share
    from (
        select distinct prefix_1, ordered_1
        from prefixes
    ) as beginnings
    inner join bucket_parts as parts
        on parts.place = 1
        and parts.part = beginnings.ordered_1
),
continued_2 as materialized (
    -- one row per match so far and further part of its bucket; two separate joins, because in
    -- another order they would pair every prefix with every bucket that has the part
    select
        matches_1.prefix_1,
        matches_1.bucket,
        bucket_parts.part,
        matches_1.share * bucket_parts.share as share
    from matches_1
    inner join bucket_parts
        on bucket_parts.place = 2
        and bucket_parts.bucket = matches_1.bucket
),
matches_2 as materialized (
    -- one row per beginning of 2 parts and bucket that has all of them
    select beginnings.prefix_2, parts.bucket, parts.share
    from (
        select distinct prefix_1, prefix_2, ordered_2
        from prefixes
    ) as beginnings
    inner join continued_2 as parts
        on parts.prefix_1 = beginnings.prefix_1
        and parts.part = beginnings.ordered_2
),
matches as materialized (
    -- one row per tuple and bucket that has all its parts; share: f(t, B)
    select
        prefixes.tuple,
        prefixes.companion_part,
        matches_2.bucket,
        matches_2.share
    from matches_2
    inner join prefixes on prefixes.tuple = matches_2.prefix_2
),
tuple_matches as (
    -- one row per tuple that matches a bucket
    select tuple, count(*) as matching_buckets, sum(share order by bucket) as share_total
    from matches
    group by tuple
),
tuple_values as (
    -- one row per tuple and sensitive value: the sum over B of f(t, B) D(t, B)[s]
    select
        matches.tuple,
        sensitive_shares.value,
        sum(matches.share * sensitive_shares.share order by matches.bucket) as share
    from matches
    inner join sensitive_shares
        on sensitive_shares.bucket = matches.bucket
        and sensitive_shares.companion_part = matches.companion_part
    group by matches.tuple, sensitive_shares.value
),
tuple_probabilities as (
    -- one row per tuple: p(t, s) of the most likely sensitive value
    select
        tuple_matches.tuple,
        tuple_matches.matching_buckets,
        max(tuple_values.share / tuple_matches.share_total) as largest_probability
    from tuple_matches
    inner join tuple_values on tuple_values.tuple = tuple_matches.tuple
    group by tuple_matches.tuple, tuple_matches.matching_buckets
)
select
    count(*) as tuples,
    count(*) filter (where tuple_probabilities.tuple is null) as unmatched_tuples,
    count(*) filter (where tuple_probabilities.matching_buckets > 1) as several_tuples,
    coalesce(
        sum(prefixes.row_count) filter (where tuple_probabilities.matching_buckets > 1),
        0
    ) as several_rows,
    cast(sum(prefixes.row_count * tuple_probabilities.matching_buckets) as double)
        / sum(prefixes.row_count) filter (
            where tuple_probabilities.tuple is not null
        ) as mean_matching_buckets,
    max(tuple_probabilities.matching_buckets) as most_matching_buckets,
    max(tuple_probabilities.largest_probability) as largest_probability
from prefixes
left join tuple_probabilities on tuple_probabilities.tuple = prefixes.tuple
