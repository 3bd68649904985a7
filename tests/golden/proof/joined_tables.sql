-- joined_tables: the two tables of a publication as one, for its proofs: every row with a value of
--   its bucket; the publication does not disclose which row has which value
-- returns: one row per row of the first table
with numbered_rows as (
    select *, row_number() over (partition by bucket order by bucket) as row_number
    from read_csv('target/anatomy/staged.csv', hive_partitioning = false, delim = ',',
        quote = '"', escape = '"', comment = '', skip = 0, header = true,
        allow_quoted_nulls = false, all_varchar = true)
),
counted_values as (
    select
        bucket,
        disease,
        cast(row_count as bigint) as value_count,
        sum(cast(row_count as bigint)) over (
            partition by bucket order by disease
        ) as last_row
    from read_csv('target/anatomy/staged_values.csv', hive_partitioning = false, delim = ',',
        quote = '"', escape = '"', comment = '', skip = 0, header = true,
        allow_quoted_nulls = false, all_varchar = true)
)
select numbered_rows.age, numbered_rows.zip, numbered_rows.bucket, counted_values.disease
from numbered_rows
inner join counted_values
    on counted_values.bucket = numbered_rows.bucket
    and numbered_rows.row_number
        > counted_values.last_row - counted_values.value_count
    and numbered_rows.row_number <= counted_values.last_row
