-- published: the rows of the publication, in a staging file until they are proven; in every
--   bucket the column groups are permuted independently, so that which parts belonged together
--   is not disclosed
-- reads:   dealt_rows, row_combinations
-- returns: one row per source row, composed of parts of rows of its bucket
-- order:   by bucket; within a bucket, an order that depends on the seed alone
with part_1 as (
    -- age, zip
    select
        bucket,
        combination,
        row_number() over (partition by bucket order by key_1) as place
    from sqlanon.dealt_rows
),
part_2 as (
    -- disease
    select
        bucket,
        combination,
        row_number() over (partition by bucket order by key_2) as place
    from sqlanon.dealt_rows
)
select
    values_1.age,
    values_1.zip,
    values_2.disease,
    part_1.bucket
from part_1
inner join part_2
    on part_2.bucket = part_1.bucket
    and part_2.place = part_1.place
inner join sqlanon.row_combinations as values_1
    on values_1.combination = part_1.combination
inner join sqlanon.row_combinations as values_2
    on values_2.combination = part_2.combination
order by part_1.bucket, part_1.place
