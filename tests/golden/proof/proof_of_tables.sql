-- proof_of_tables: buckets with different numbers of rows in the two tables of the publication, or
--   with a value that the second table lists twice or without rows; no row means none
-- returns: one row per such bucket
with table_rows as (
    select bucket, count(*) as row_count
    from read_csv('target/anatomy/staged.csv', hive_partitioning = false, delim = ',',
        quote = '"', escape = '"', comment = '', skip = 0, header = true,
        allow_quoted_nulls = false, all_varchar = true)
    group by bucket
),
value_rows as (
    select
        bucket,
        sum(cast(row_count as bigint)) as row_count,
        min(cast(row_count as bigint)) as fewest_rows,
        count(*) as listed_values,
        count(distinct disease)
            + max(case when disease is null then 1 else 0 end) as distinct_values
    from read_csv('target/anatomy/staged_values.csv', hive_partitioning = false, delim = ',',
        quote = '"', escape = '"', comment = '', skip = 0, header = true,
        allow_quoted_nulls = false, all_varchar = true)
    group by bucket
)
select
    coalesce(table_rows.bucket, value_rows.bucket) as bucket,
    table_rows.row_count as table_rows,
    value_rows.row_count as value_rows
from table_rows
full outer join value_rows on value_rows.bucket = table_rows.bucket
where table_rows.row_count is distinct from value_rows.row_count
    or value_rows.fewest_rows < 1
    or value_rows.listed_values > value_rows.distinct_values
order by bucket
