{#- inputs: relation str, columns list[str], row_count str -#}
{% import "_keys.sql" as keys %}
{% import "partition/_lists.sql" as lists %}
-- rows_digest: the digest of a table's rows, independent of their order
-- reads:   the published table
-- returns: one row: SHA-256 over the sorted SHA-256 of all distinct rows with their counts, in two
--   steps to avoid long texts
-- nulls:   a missing value differs from an empty text, because every value follows its length
with distinct_rows as (
    -- equal rows, of which a publication has many, have one digest
    select {{ keys.list("", columns) }}, count(*) as {{ row_count | ident }}
    from {{ relation }} as published_rows
    group by {{ keys.list("", columns) }}
),
row_digests as materialized (
    -- computed once: the next step reads each digest three times
    select
        sha256(concat(
            ''{% for name in columns %},
            '|', length(cast({{ name | ident }} as varchar)), ':', cast({{ name | ident }} as varchar){% endfor %}

        )) as digest,
        {{ lists.column(row_count, "row_count") }}
    from distinct_rows
),
part_digests as (
    select
        substr(digest, 1, 3) as part,
        sha256(string_agg(concat(digest, ':', row_count, '|'), '' order by digest)) as digest
    from row_digests
    group by substr(digest, 1, 3)
)
select sha256(coalesce(string_agg(digest, '' order by part), '')) as rows_sha256
from part_digests
