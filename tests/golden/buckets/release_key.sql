-- release_key: what the orders of this release alone are made from; where the plan differs, or anything that
--   it reads, the same seed has another key, so that no two publications put rows into one order
-- reads:   row_combinations, hierarchy_of_age, hierarchy_of_disease; the variable sqlanon_permutation_seed, which stands in no file
-- returns: one row
--   key   128 bits of a keyed hash of the plan's digest and of all rows read: their keyed hashes are
--         added up, in two times 60 bits, so that their order plays no part
with digests as (
    select digest as digest, row_count as row_count
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
