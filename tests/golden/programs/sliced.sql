-- release: what sliced.yml publishes of patients.csv, in the order of the published values
--   age, zip, disease as in the source
--   bucket            the number of the bucket, from bucketed_rows
--   buckets           the regions of a table that is cut repeatedly (steps regions, bucketed_rows)
--   kept together     age; zip; disease
--   promise           in every class no disease has more than one in 2 rows
-- reads:   bucketed_rows, row_combinations
-- returns: one row per source row, composed of parts of rows of its bucket
-- order:   by bucket; within a bucket, an order that depends on the seed alone
with shuffled_age as (
    -- age: the rows of each bucket, numbered in the order of a key
    select
        bucket,
        combination,
        row_number() over (partition by bucket order by key_of_age) as place
    from sqlanon.bucketed_rows
),
shuffled_zip as (
    -- zip: the rows of each bucket, numbered in the order of a key
    select
        bucket,
        combination,
        row_number() over (partition by bucket order by key_of_zip) as place
    from sqlanon.bucketed_rows
),
shuffled_disease as (
    -- disease: the rows of each bucket, numbered in the order of a key
    select
        bucket,
        combination,
        row_number() over (partition by bucket order by key_of_disease) as place
    from sqlanon.bucketed_rows
),
joined_parts as (
    -- one row per published row: its parts have the same bucket and the same number
    select
        shuffled_age.combination as row_of_age,
        shuffled_zip.combination as row_of_zip,
        shuffled_disease.combination as row_of_disease,
        shuffled_age.bucket,
        shuffled_age.place
    from shuffled_age
    inner join shuffled_zip
        on shuffled_zip.bucket = shuffled_age.bucket
        and shuffled_zip.place = shuffled_age.place
    inner join shuffled_disease
        on shuffled_disease.bucket = shuffled_age.bucket
        and shuffled_disease.place = shuffled_age.place
)
select
    values_of_age.age,
    values_of_zip.zip,
    values_of_disease.disease,
    joined_parts.bucket
from joined_parts
inner join sqlanon.row_combinations as values_of_age
    on values_of_age.combination = joined_parts.row_of_age
inner join sqlanon.row_combinations as values_of_zip
    on values_of_zip.combination = joined_parts.row_of_zip
inner join sqlanon.row_combinations as values_of_disease
    on values_of_disease.combination = joined_parts.row_of_disease
order by joined_parts.bucket, joined_parts.place;
