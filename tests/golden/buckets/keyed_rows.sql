-- keyed_rows: every row, and keys that only the seed tells: orders of rows, independent of each other
-- reads:   source_rows; the variable sqlanon_permutation_seed, which stands in no file
-- returns: one row per source row; in an order that the source has no part in
--   key_0, key_1, key_2   60 bits of a keyed hash of all values, and of a number that tells equal rows apart
-- nulls:   a missing value is a value of its own
with combinations as (
    select
        age,
        zip,
        disease,
        count(*) as row_count
    from sqlanon.source_rows
    group by
        age,
        zip,
        disease
),
hashed_combinations as (
    -- every value stands with its length, so that no two combinations have the same text
    select
        age,
        zip,
        disease,
        row_count,
        sha256(concat(
            getvariable('sqlanon_permutation_seed'),
            '|', length(cast(age as varchar)), ':', cast(age as varchar),
            '|', length(cast(zip as varchar)), ':', cast(zip as varchar),
            '|', length(cast(disease as varchar)), ':', cast(disease as varchar)
        )) as digest
    from combinations
),
numbered_rows as (
    -- equal rows would stay together in every order
    select
        age,
        zip,
        disease,
        digest,
        unnest(range(row_count)) as number
    from hashed_combinations
),
hashed_rows as (
    select
        age,
        zip,
        disease,
        sha256(concat(digest, '|1|', number)) as digest_1
    from numbered_rows
)
select
    age,
    zip,
    disease,
    cast('0x' || substr(digest_1, 1, 15) as bigint) as key_0,
    cast('0x' || substr(digest_1, 16, 15) as bigint) as key_1,
    cast('0x' || substr(digest_1, 31, 15) as bigint) as key_2
from hashed_rows
