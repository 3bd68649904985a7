{#- inputs: name str, keys list[str], names dict[str, str] -#}
{% import "_comments.sql" as comments %}
{% import "partition/_lists.sql" as lists %}
-- {{ name }}: every row with keys that depend on the seed; each key gives an independent order
-- reads:   row_combinations, release_key
-- returns: one row per source row; the order of the source is not kept
--   combination   number of the distinct row with the same values
{% call comments.wrapped("--   ", hang="--     ") %}
{{ keys | join(", ") }}: 60 bits of a keyed hash each; a number distinguishes equal rows, which would otherwise stay together in every order
{% endcall %}
with keyed_combinations as materialized (
    -- one row per distinct row: 128 bits of a keyed hash, so that a row takes one block of SHA-256
    select
        {{ lists.column(names.combination, "combination", "row_combinations") }},
        {{ lists.column(names.row_count, "row_count", "row_combinations") }},
        substr(sha256(concat(release_key.key, row_combinations.{{ names.digest | ident }})), 1, 32) as digest
    from sqlanon.row_combinations
    cross join sqlanon.release_key
),
numbered_rows as (
    -- one row per source row: its number among equal rows
    select combination, digest, unnest(range(row_count)) as number
    from keyed_combinations
),
hashed_rows as (
    -- one row per source row: keyed hashes, each long enough for four keys
    select
        combination,
{% for part in range(0, keys | length, 4) %}
        sha256(
            concat(digest, '|{{ loop.index }}|', number)
        ) as digest_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from numbered_rows
)
select
    combination,
{% for key in keys %}
    cast('0x' || substr(digest_{{ loop.index0 // 4 + 1 }}, {{ loop.index0 % 4 * 15 + 1 }}, 15) as bigint) as {{ key | ident }}{{ "," if not loop.last }}
{% endfor %}
from hashed_rows
