-- release: what anatomy.yml publishes of patients.csv, in the order of the published values
--   age, zip        as in the source
--   bucket          the number of the bucket, from dealt_rows
--   buckets         rows are dealt to them by disease (step dealt_rows)
--   kept together   age, zip
--   published apart disease, counted by bucket in the second table (published_values)
--   promise         in every class no disease has more than one in 2 rows
-- reads:   dealt_rows, row_combinations
-- returns: one row per source row, composed of parts of rows of its bucket
-- order:   by bucket; within a bucket, an order that depends on the seed alone
with shuffled_age_zip as (
    -- age, zip: the rows of each bucket, numbered in the order of a key
    select
        bucket,
        combination,
        row_number() over (partition by bucket order by key_of_age_zip) as place
    from sqlanon.dealt_rows
),
joined_parts as (
    -- one row per published row: its parts have the same bucket and the same number
    select
        shuffled_age_zip.combination as row_of_age_zip,
        shuffled_age_zip.bucket,
        shuffled_age_zip.place
    from shuffled_age_zip
)
select
    values_of_age_zip.age,
    values_of_age_zip.zip,
    joined_parts.bucket
from joined_parts
inner join sqlanon.row_combinations as values_of_age_zip
    on values_of_age_zip.combination = joined_parts.row_of_age_zip
order by joined_parts.bucket, joined_parts.place;
