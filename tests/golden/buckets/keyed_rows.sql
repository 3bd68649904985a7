-- keyed_rows: every row, and keys that only the seed tells: orders of rows, independent of each other
-- reads:   row_combinations, release_key
-- returns: one row per source row; nothing of the source's order is left in it
--   combination   which distinct row it is like
--   key_0, key_1, key_2   60 bits each of a keyed hash; equal rows are told apart by a number, or they would
--                 stay together in every order
with numbered_rows as (
    select
        combination as combination,
        digest as digest,
        unnest(range(row_count)) as number
    from sqlanon.row_combinations
),
hashed_rows as (
    select
        combination,
        sha256(
            concat(release_key.key, digest, '|1|', number)
        ) as digest_1
    from numbered_rows
    cross join sqlanon.release_key as release_key
)
select
    combination,
    cast('0x' || substr(digest_1, 1, 15) as bigint) as key_0,
    cast('0x' || substr(digest_1, 16, 15) as bigint) as key_1,
    cast('0x' || substr(digest_1, 31, 15) as bigint) as key_2
from hashed_rows
