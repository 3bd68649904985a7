-- presence_marginals: the published count of every value of every column group
-- reads:   sqlanon.presence_values_1, sqlanon.presence_values_2
-- returns: one row per bucket, column group and value
--   row_count      [rows]
--   bucket_count   published buckets that the value comes from   [buckets]
--   code_count     different published values that it merges   [values]
with published_counts (bucket, group_number, value, code, row_count) as (
    select bucket, 1, value, code, row_count from sqlanon.presence_values_1
    union all select bucket, 2, value, code, row_count from sqlanon.presence_values_2
)
select
    bucket,
    published_counts.group_number,
    value,
    cast(sum(published_counts.row_count) as bigint) as row_count,
    count(distinct published_counts.bucket) as bucket_count,
    count(distinct published_counts.code) as code_count
from published_counts
group by bucket, group_number, value
