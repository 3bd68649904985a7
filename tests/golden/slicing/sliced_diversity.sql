-- sliced_diversity: tuples whose sensitive value is known with a probability above 1 / 2
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, l-diverse slicing: p(t, s) <= 1/l for
--   all t and s
-- reads:   sqlanon.published_text, the sliced rows with their bucket; sqlanon.source_tuples_1,
--   the distinct combinations of the other columns with their row_count, in the same types
-- returns: one row per tuple that breaks the promise, within a tolerance of 1e-9; no row means
--   that it holds
--   matching_buckets      buckets with all parts of the tuple   [buckets]
--   largest_probability   p(t, s) of the most likely value of disease
-- nulls:   a missing value is a value of its own. A tuple that matches no bucket has no p(t, s)
--   and does not break the promise
with bucket_sizes as materialized (
    select bucket, count(*) as bucket_rows
    from sqlanon.published_text
    group by bucket
),
-- age
parts_1 as materialized (
    select
        age,
        row_number() over (
            order by
                age
        ) as part
    from sqlanon.source_tuples_1
    group by
        age
),
-- share: freq(t[C_1] in B) / |B|; parts that no tuple has are left out
bucket_parts_1 as materialized (
    select
        counted.bucket,
        parts.part as part,
        cast(counted.part_rows as double) / bucket_sizes.bucket_rows as share
    from (
        select
            age,
            bucket,
            count(*) as part_rows
        from sqlanon.published_text
        group by
            age,
            bucket
    ) as counted
    inner join parts_1 as parts
        on parts.age is not distinct from counted.age
    inner join bucket_sizes on bucket_sizes.bucket = counted.bucket
),
-- zip
parts_2 as materialized (
    select
        zip,
        row_number() over (
            order by
                zip
        ) as part
    from sqlanon.source_tuples_1
    group by
        zip
),
-- share: freq(t[C_2] in B) / |B|; parts that no tuple has are left out
bucket_parts_2 as materialized (
    select
        counted.bucket,
        parts.part as part,
        cast(counted.part_rows as double) / bucket_sizes.bucket_rows as share
    from (
        select
            zip,
            bucket,
            count(*) as part_rows
        from sqlanon.published_text
        group by
            zip,
            bucket
    ) as counted
    inner join parts_2 as parts
        on parts.zip is not distinct from counted.zip
    inner join bucket_sizes on bucket_sizes.bucket = counted.bucket
),
-- column groups with few different parts per bucket come first: they leave the fewest matches
group_order as materialized (
    select
        max(group_number) filter (where place = 1) as group_1,
        max(group_number) filter (where place = 2) as group_2
    from (
        select group_number, row_number() over (order by part_count, group_number) as place
        from (
            select 1 as group_number, count(*) as part_count
            from bucket_parts_1
            union all select 2 as group_number, count(*) as part_count
            from bucket_parts_2
        ) as counted
    ) as ranked
),
bucket_parts (place, bucket, part, share) as materialized (
    select
        case 1
            when group_order.group_1 then 1
            when group_order.group_2 then 2
        end,
        bucket,
        part,
        share
    from bucket_parts_1
    cross join group_order
    union all select
        case 2
            when group_order.group_1 then 1
            when group_order.group_2 then 2
        end,
        bucket,
        part,
        share
    from bucket_parts_2
    cross join group_order
),
-- D(t, B)[s]: for the rows of a bucket with the tuple's part in the sensitive column group, the
-- share of each sensitive value
sensitive_shares as materialized (
    select
        counted.bucket,
        0 as companion_part,
        counted.value as value,
        cast(counted.value_rows as double) / sum(counted.value_rows) over (
            partition by counted.bucket
        ) as share
    from (
        select
            disease as value,
            bucket,
            count(*) as value_rows
        from sqlanon.published_text
        group by
            disease,
            bucket
    ) as counted
),
coded_tuples as materialized (
    select
        parts_1.part as part_1,
        parts_2.part as part_2,
        0 as companion_part,
        tuples.row_count as row_count
    from sqlanon.source_tuples_1 as tuples
    inner join parts_1
        on parts_1.age is not distinct from tuples.age
    inner join parts_2
        on parts_2.zip is not distinct from tuples.zip
    -- p(t, s) is a mean of D(t, B)[s] over buckets: it exceeds 1 / 2 only if one of them does
    where 0 in (
        select companion_part
        from sensitive_shares
        where share > 1.0 / 2 + 0.000000001
    )
),
ordered_tuples as materialized (
    select
        row_number() over (
            order by
                part_1,
                part_2
        ) as tuple,
        coded_tuples.*,
        case group_order.group_1
            when 1 then part_1
            when 2 then part_2
        end as ordered_1,
        case group_order.group_2
            when 1 then part_1
            when 2 then part_2
        end as ordered_2
    from coded_tuples
    cross join group_order
),
-- a prefix is identified by the first tuple that has it
prefixes as materialized (
    select
        ordered_tuples.*,
        min(tuple) over (partition by ordered_1) as prefix_1,
        tuple as prefix_2
    from ordered_tuples
),
matches_1 as materialized (
    select prefixes.prefix_1, parts.bucket, parts.share
    from (
        select distinct prefix_1, ordered_1
        from prefixes
    ) as prefixes
    inner join bucket_parts as parts
        on parts.place = 1
        and parts.part = prefixes.ordered_1
),
-- two separate joins; in another order they would pair every prefix with every bucket that has
-- the part
continued_2 as materialized (
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
    select prefixes.prefix_2, parts.bucket, parts.share
    from (
        select distinct prefix_1, prefix_2, ordered_2
        from prefixes
    ) as prefixes
    inner join continued_2 as parts
        on parts.prefix_1 = prefixes.prefix_1
        and parts.part = prefixes.ordered_2
),
-- share: f(t, B)
matches as materialized (
    select
        prefixes.tuple,
        prefixes.companion_part,
        matches_2.bucket,
        matches_2.share
    from matches_2
    inner join prefixes on prefixes.tuple = matches_2.prefix_2
),
tuple_matches as (
    select tuple, count(*) as matching_buckets, sum(share order by bucket) as share_total
    from matches
    group by tuple
),
-- the sum over B of f(t, B) D(t, B)[s]
tuple_values as (
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
    select
        tuple_matches.tuple,
        tuple_matches.matching_buckets,
        max(tuple_values.share / tuple_matches.share_total) as largest_probability
    from tuple_matches
    inner join tuple_values on tuple_values.tuple = tuple_matches.tuple
    group by tuple_matches.tuple, tuple_matches.matching_buckets
)
select
    parts_1.age,
    parts_2.zip,
    prefixes.row_count,
    tuple_probabilities.matching_buckets,
    tuple_probabilities.largest_probability
from tuple_probabilities
inner join prefixes on prefixes.tuple = tuple_probabilities.tuple
inner join parts_1 on parts_1.part = prefixes.part_1
inner join parts_2 on parts_2.part = prefixes.part_2
where tuple_probabilities.largest_probability > 1.0 / 2 + 0.000000001
order by prefixes.tuple
