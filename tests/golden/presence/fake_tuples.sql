-- presence_fake_tuples: rows that exist through the permutation alone
--   Its columns are permuted independently, so a bucket of n rows stands for every combination
--   of its values, each n times the product of the values' shares. A combination is fake if
--   no person of the population has it.
-- reads:   sqlanon.presence_candidates, sqlanon.presence_values_1, sqlanon.presence_values_2
-- returns: one row
--   fake_share   share of fake rows among all rows that the buckets stand for   [0 to 1]
with bucket_sizes as (
    select bucket, sum(row_count) as row_count
    from sqlanon.presence_values_1
    group by bucket
),
true_tuples as (
    select distinct bucket, value_1, value_2
    from sqlanon.presence_candidates
),
true_rows as (
    select
        coalesce(sum(
            cast(bucket_sizes.row_count as double)
            * (cast(values_1.row_count as double) / bucket_sizes.row_count)
            * (cast(values_2.row_count as double) / bucket_sizes.row_count)
        ), 0) as row_count
    from true_tuples
    inner join bucket_sizes on bucket_sizes.bucket = true_tuples.bucket
    inner join sqlanon.presence_values_1 as values_1
        on values_1.value = true_tuples.value_1
    inner join sqlanon.presence_values_2 as values_2
        on values_2.value = true_tuples.value_2
),
all_rows as (
    select sum(row_count) as row_count
    from bucket_sizes
)
select greatest(0.0, 1 - true_rows.row_count / all_rows.row_count) as fake_share
from all_rows
cross join true_rows
