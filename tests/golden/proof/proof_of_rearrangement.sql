-- proof_of_rearrangement: every bucket has the parts of the rows assigned to it, equally often;
--   no part was dropped, duplicated, moved, or changed
-- reads:   published_rows, dealt_rows, row_combinations
--   part 1: age, zip
--   part 2: disease
-- returns: one row if that is not the case
-- method:  sum over all rows of 64-bit hashes of bucket and part, as text; it is equal for equal
--   rows in any order
with part_hashes as (
    select
        combination,
        hash(
            cast(age as varchar),
            cast(zip as varchar)
        ) as hash_1,
        hash(
            cast(disease as varchar)
        ) as hash_2
    from sqlanon.row_combinations
),
assigned as (
    select
        count(*) as row_count,
        sum(hash(assigned_rows.bucket, part_hashes.hash_1)) as sum_1,
        sum(hash(assigned_rows.bucket, part_hashes.hash_2)) as sum_2
    from sqlanon.dealt_rows as assigned_rows
    inner join part_hashes on part_hashes.combination = assigned_rows.combination
),
published as (
    select
        count(*) as row_count,
        sum(hash(
            try_cast(bucket as integer),
            hash(
                cast(age as varchar),
                cast(zip as varchar)
            )
        )) as sum_1,
        sum(hash(
            try_cast(bucket as integer),
            hash(
                cast(disease as varchar)
            )
        )) as sum_2
    from sqlanon.published_rows
)
select assigned.row_count as assigned_rows, published.row_count as published_rows
from assigned
cross join published
where published.row_count is distinct from assigned.row_count
    or published.sum_1 is distinct from assigned.sum_1
    or published.sum_2 is distinct from assigned.sum_2
