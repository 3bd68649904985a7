-- published: the rows of the publication, in a staging file until they are proven; in every bucket
--   parts of rows are permuted apart from each other, so that nothing tells which belonged together
-- reads:   dealt_rows
-- returns: one row per source row, put together from parts of rows of its bucket
-- order:   by bucket; within it, one that only the seed knows
with part_1 as (
    -- age, zip
    select
        bucket,
        age,
        zip,
        row_number() over (partition by bucket order by key_1) as "position"
    from sqlanon.dealt_rows
),
part_2 as (
    -- disease
    select
        bucket,
        disease,
        row_number() over (partition by bucket order by key_2) as "position"
    from sqlanon.dealt_rows
)
select
    part_1.age,
    part_1.zip,
    part_2.disease,
    part_1.bucket
from part_1
inner join part_2
    on part_2.bucket = part_1.bucket
    and part_2."position" = part_1."position"
order by part_1.bucket, part_1."position"
