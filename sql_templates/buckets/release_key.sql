{#- inputs: release str, beside list[tuple[str, list[str]]], names dict[str, str] -#}
{% import "_comments.sql" as comments %}
{% import "partition/_lists.sql" as lists %}
{% import "buckets/_keyed_hash.sql" as keyed %}
-- release_key: the key from which the orders of this release are derived; if the plan or any of
--   its inputs differs, the same seed gives another key, so no two publications share an order
{% call comments.wrapped("-- reads:   ") %}
row_combinations{% for relation, columns in beside %}, {{ relation | comment }}{% endfor %}; the variable sqlanon_permutation_seed, which is stored in no file
{% endcall %}
-- returns: one row
--   key   128 bits of a keyed hash of the plan's digest and of all rows read; the keyed hashes of
--         the rows are summed in two parts of 60 bits, so their order has no effect
with digests as (
    -- one row per distinct row that was read: its keyed hash, and how often it occurs
    select {{ lists.column(names.digest, "digest") }}, {{ lists.column(names.row_count, "row_count") }}
    from sqlanon.row_combinations
{% for relation, columns in beside %}
    union all
    select
        {{ keyed.keyed_hash("beside", columns) | indent(8) }},
        1
    from sqlanon.{{ relation | ident }}
{% endfor %}
)
select
    substr(sha256(concat(
        getvariable('sqlanon_permutation_seed'),
        '|release|',
        {{ release | text }},
        '|',
        sum(cast('0x' || substr(digest, 1, 15) as hugeint) * row_count),
        '|',
        sum(cast('0x' || substr(digest, 16, 15) as hugeint) * row_count)
    )), 1, 32) as key
from digests
