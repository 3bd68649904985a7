{#- inputs: release str, beside list[tuple[str, list[str]]], names dict[str, str] -#}
{% import "buckets/_keyed_hash.sql" as keyed %}
-- release_key: what the orders of this release alone are made from; where the plan differs, or anything that
--   it reads, the same seed has another key, so that no two publications put rows into one order
-- reads:   row_combinations{% for relation, columns in beside %}, {{ relation | comment }}{% endfor %}; the variable sqlanon_permutation_seed, which stands in no file
-- returns: one row
--   key   128 bits of a keyed hash of the plan's digest and of all rows read: their keyed hashes are
--         added up, in two times 60 bits, so that their order plays no part
with digests as (
    select {{ names.digest | ident }} as digest, {{ names.row_count | ident }} as row_count
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
