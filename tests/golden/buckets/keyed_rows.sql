-- keyed_rows: every row with keys that depend on the seed; each key gives an independent order
-- reads:   row_combinations, release_key
-- returns: one row per source row; the order of the source is not kept
--   combination   number of the distinct row with the same values
--   dealing_key, key_of_age_zip, key_of_disease: 60 bits of a keyed hash each; a number
--     distinguishes equal rows, which would otherwise stay together in every order
with numbered_rows as (
    -- one row per source row: its number among equal rows
    select
        combination,
        digest,
        unnest(range(row_count)) as number
    from sqlanon.row_combinations
),
hashed_rows as (
    -- one row per source row: keyed hashes, each long enough for four keys
    select
        combination,
        sha256(
            concat(release_key.key, digest, '|1|', number)
        ) as digest_1
    from numbered_rows
    cross join sqlanon.release_key
)
select
    combination,
    cast('0x' || substr(digest_1, 1, 15) as bigint) as dealing_key,
    cast('0x' || substr(digest_1, 16, 15) as bigint) as key_of_age_zip,
    cast('0x' || substr(digest_1, 31, 15) as bigint) as key_of_disease
from hashed_rows
