-- release_key: the key from which the orders of this release are derived; if the plan or any of
--   its inputs differs, the same seed gives another key, so no two publications share an order
-- reads:   row_combinations, hierarchy_of_age, hierarchy_of_disease; the variable
--   sqlanon_permutation_seed, which is stored in no file
-- returns: one row
--   key   128 bits of a keyed hash of the plan's digest and of all rows read; the keyed hashes of
--         the rows are summed in two parts of 60 bits, so their order has no effect
with digests as (
    -- one row per distinct row that was read: its keyed hash, and how often it occurs
    select digest, row_count
    from sqlanon.row_combinations
    union all
    select
        sha256(concat(
            getvariable('sqlanon_permutation_seed'), '|beside',
            '|', length(cast(level_0 as varchar)), ':', cast(level_0 as varchar),
            '|', length(cast(level_1 as varchar)), ':', cast(level_1 as varchar),
            '|', length(cast(level_2 as varchar)), ':', cast(level_2 as varchar)
        )),
        1
    from sqlanon.hierarchy_of_age
    union all
    select
        sha256(concat(
            getvariable('sqlanon_permutation_seed'), '|beside',
            '|', length(cast(level_0 as varchar)), ':', cast(level_0 as varchar),
            '|', length(cast(level_1 as varchar)), ':', cast(level_1 as varchar),
            '|', length(cast(level_2 as varchar)), ':', cast(level_2 as varchar)
        )),
        1
    from sqlanon.hierarchy_of_disease
)
select
    substr(sha256(concat(
        getvariable('sqlanon_permutation_seed'),
        '|release|',
        '0000000000000000000000000000000000000000000000000000000000000000',
        '|',
        sum(cast('0x' || substr(digest, 1, 15) as hugeint) * row_count),
        '|',
        sum(cast('0x' || substr(digest, 16, 15) as hugeint) * row_count)
    )), 1, 32) as key
from digests
