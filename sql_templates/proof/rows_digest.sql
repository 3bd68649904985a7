{#- inputs: relation str, columns list[str] -#}
-- rows_digest: the digest of a table's rows, independent of their order
-- reads:   the published table
-- returns: one row: SHA-256 over the sorted SHA-256 of all rows, in two steps to avoid long texts
-- nulls:   a missing value differs from an empty text, because every value follows its length
with row_digests as (
    select sha256(concat(
        ''{% for name in columns %},
        '|', length(cast({{ name | ident }} as varchar)), ':', cast({{ name | ident }} as varchar){% endfor %}

    )) as digest
    from {{ relation }} as published_rows
),
part_digests as (
    select substr(digest, 1, 3) as part, sha256(string_agg(digest, '' order by digest)) as digest
    from row_digests
    group by substr(digest, 1, 3)
)
select sha256(coalesce(string_agg(digest, '' order by part), '')) as rows_sha256
from part_digests
