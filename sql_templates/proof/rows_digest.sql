{#- inputs: relation str, columns list[str] -#}
-- rows_digest: the digest of a table's rows, in whatever order they stand
-- reads:   the published table
-- returns: one row: SHA-256 over the sorted SHA-256 of all rows, in two steps so that no text is long
-- nulls:   a missing value is told from an empty text: every value stands behind its length
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
