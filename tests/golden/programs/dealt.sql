-- release: what dealt.yml publishes of patients.csv, in the order of the published values
--   age, zip, disease as in the source
--   bucket            the number of the bucket, from dealt_rows
--   buckets           rows are dealt to them by disease (step dealt_rows)
--   kept together     age, zip; disease
--   promise           every published row shares its quasi-identifiers with at least 1 other (k =
--                     2)
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
shuffled_disease as (
    -- disease: the rows of each bucket, numbered in the order of a key
    select
        bucket,
        combination,
        row_number() over (partition by bucket order by key_of_disease) as place
    from sqlanon.dealt_rows
),
joined_parts as (
    -- one row per published row: its parts have the same bucket and the same number
    select
        shuffled_age_zip.combination as row_of_age_zip,
        shuffled_disease.combination as row_of_disease,
        shuffled_age_zip.bucket,
        shuffled_age_zip.place
    from shuffled_age_zip
    inner join shuffled_disease
        on shuffled_disease.bucket = shuffled_age_zip.bucket
        and shuffled_disease.place = shuffled_age_zip.place
)
select
    values_of_age_zip.age,
    values_of_age_zip.zip,
    values_of_disease.disease,
    joined_parts.bucket
from joined_parts
inner join sqlanon.row_combinations as values_of_age_zip
    on values_of_age_zip.combination = joined_parts.row_of_age_zip
inner join sqlanon.row_combinations as values_of_disease
    on values_of_disease.combination = joined_parts.row_of_disease
order by joined_parts.bucket, joined_parts.place;
