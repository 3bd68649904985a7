{#- inputs: keys list[str], names dict[str, str] -#}
-- keyed_rows: every row, and keys that only the seed tells: orders of rows, independent of each other
-- reads:   row_combinations, release_key
-- returns: one row per source row; nothing of the source's order is left in it
--   combination   which distinct row it is like
--   {{ keys | join(", ") }}   60 bits each of a keyed hash; equal rows are told apart by a number, or they would
--                 stay together in every order
with numbered_rows as (
    select
        {{ names.combination | ident }} as combination,
        {{ names.digest | ident }} as digest,
        unnest(range({{ names.row_count | ident }})) as number
    from sqlanon.row_combinations
),
hashed_rows as (
    select
        combination,
{% for part in range(0, keys | length, 4) %}
        sha256(
            concat(release_key.key, digest, '|{{ loop.index }}|', number)
        ) as digest_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from numbered_rows
    cross join sqlanon.release_key as release_key
)
select
    combination,
{% for key in keys %}
    cast('0x' || substr(digest_{{ loop.index0 // 4 + 1 }}, {{ loop.index0 % 4 * 15 + 1 }}, 15) as bigint) as {{ key }}{{ "," if not loop.last }}
{% endfor %}
from hashed_rows
