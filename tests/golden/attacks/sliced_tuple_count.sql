-- attack_of_homogeneity_4_tuple_count: how many combinations of quasi-identifiers the buckets can
--   represent, at most
-- reads:   sqlanon.attack_of_homogeneity_4_text
-- returns: one row: the sum over all buckets of the product of their numbers of different parts
select sum(bucket_tuples.tuple_count) as tuple_count
from (
    select
        bucket,
        cast(count(distinct concat(length(value_2), ':', value_2)) as double)
        * cast(count(distinct concat(length(value_1), ':', value_1)) as double) as tuple_count
    from sqlanon.attack_of_homogeneity_4_text
    group by bucket
) as bucket_tuples
