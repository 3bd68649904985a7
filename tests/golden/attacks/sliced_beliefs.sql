-- attack_of_homogeneity_4_beliefs: p(t, s), how likely each disease is for somebody with the
--   quasi-identifiers t
-- source:  Li, Li, Zhang and Molloy, IEEE TKDE 24(3), 2012, l-diverse slicing and matching buckets
-- reads:   sqlanon.attack_of_homogeneity_4_text, sqlanon.attack_of_homogeneity_4_tuples
-- returns: one row per belief, matching bucket with the other values of the column group, and value
--   belief   number of t; where combinations match one bucket alone and agree in this column
--            group, the first of them, as p(t, s) is the same
--   value    the disease, as text
--   share    p(t, s), above 0   [0 to 1]
-- nulls:   a missing value is a value of its own
with bucket_sizes as materialized (
    -- one row per bucket
    select bucket, count(*) as bucket_rows
    from sqlanon.attack_of_homogeneity_4_text
    group by bucket
),
parts_of_value_2 as materialized (
    -- one row per different values of value_2
    select value_2, row_number() over (order by value_2) as part
    from sqlanon.attack_of_homogeneity_4_tuples
    group by value_2
),
shares_of_value_2 as materialized (
    -- one row per bucket and part: freq(t[C_1] in B) / |B|; parts that no tuple has are left out
    select
        counted.bucket,
        parts_of_value_2.part,
        cast(counted.part_rows as double) / bucket_sizes.bucket_rows as share
    from (
        select value_2, bucket, count(*) as part_rows
        from sqlanon.attack_of_homogeneity_4_text
        group by value_2, bucket
    ) as counted
    inner join parts_of_value_2
        on parts_of_value_2.value_2 is not distinct from counted.value_2
    inner join bucket_sizes on bucket_sizes.bucket = counted.bucket
),
parts_of_value_1 as materialized (
    -- one row per different values of value_1, in the column group of the sensitive attribute
    select value_1, row_number() over (order by value_1) as part
    from sqlanon.attack_of_homogeneity_4_tuples
    group by value_1
),
shares_of_value_1 as materialized (
    -- one row per bucket and part: freq(t[C_2] in B) / |B|; parts that no tuple has are left out
    select
        counted.bucket,
        parts_of_value_1.part,
        cast(counted.part_rows as double) / bucket_sizes.bucket_rows as share
    from (
        select value_1, bucket, count(*) as part_rows
        from sqlanon.attack_of_homogeneity_4_text
        group by value_1, bucket
    ) as counted
    inner join parts_of_value_1
        on parts_of_value_1.value_1 is not distinct from counted.value_1
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
            from shares_of_value_2
            union all
            select 2 as group_number, count(*) as part_count
            from shares_of_value_1
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
    from shares_of_value_2
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
    from shares_of_value_1
    cross join group_order
),
sensitive_shares as materialized (
    -- one row per bucket, part in the sensitive column group, and sensitive value: D(t, B)[s], its
    -- share of the rows of the bucket with this part
    select
        counted.bucket,
        parts_of_value_1.part as companion_part,
        counted.value,
        cast(counted.value_rows as double)
            / sum(counted.value_rows) over (
                partition by counted.bucket, parts_of_value_1.part
            ) as share
    from (
        select value_1, sensitive_value as value, bucket, count(*) as value_rows
        from sqlanon.attack_of_homogeneity_4_text
        group by value_1, sensitive_value, bucket
    ) as counted
    inner join parts_of_value_1
        on parts_of_value_1.value_1 is not distinct from counted.value_1
),
coded_tuples as materialized (
    -- one row per tuple: the numbers of its parts
    select
        parts_of_value_2.part as part_of_value_2,
        parts_of_value_1.part as part_of_value_1,
        parts_of_value_1.part as companion_part,
        tuples.row_count
    from sqlanon.attack_of_homogeneity_4_tuples as tuples
    inner join parts_of_value_2
        on parts_of_value_2.value_2 is not distinct from tuples.value_2
    inner join parts_of_value_1
        on parts_of_value_1.value_1 is not distinct from tuples.value_1
),
ordered_tuples as materialized (
    -- one row per tuple: its number, and its parts in the order of looking them up
    select
        row_number() over (
            order by
                part_of_value_2,
                part_of_value_1
        ) as tuple,
        coded_tuples.*,
        case group_order.group_1
            when 1 then part_of_value_2
            when 2 then part_of_value_1
        end as ordered_1,
        case group_order.group_2
            when 1 then part_of_value_2
            when 2 then part_of_value_1
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
),
chosen_tuples as (
    select min(matches.tuple) as tuple
    from matches
    inner join tuple_matches on tuple_matches.tuple = matches.tuple
    where tuple_matches.matching_buckets = 1
    group by matches.bucket, matches.companion_part
    union all
    select tuple_matches.tuple
    from tuple_matches
    where tuple_matches.matching_buckets > 1
)
select
    chosen_tuples.tuple as belief,
    matches.bucket as quasi_identifier_1,
    parts_of_value_1.value_1 as companion_1,
    tuple_values.value,
    tuple_values.share / tuple_matches.share_total as share
from chosen_tuples
inner join matches on matches.tuple = chosen_tuples.tuple
inner join parts_of_value_1
    on parts_of_value_1.part = matches.companion_part
inner join tuple_matches on tuple_matches.tuple = chosen_tuples.tuple
inner join tuple_values on tuple_values.tuple = chosen_tuples.tuple
