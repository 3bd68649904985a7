-- rows_digest: the digest of a table's rows, independent of their order
-- reads:   the published table
-- returns: one row: SHA-256 over the sorted SHA-256 of all distinct rows with their counts, in two
--   steps to avoid long texts
-- nulls:   a missing value differs from an empty text, because every value follows its length
with distinct_rows as (
    -- equal rows, of which a publication has many, have one digest
    select "the ""age""", sex, count(*) as row_count
    from sqlanon.published_table as published_rows
    group by "the ""age""", sex
),
row_digests as materialized (
    -- computed once: the next step reads each digest three times
    select
        sha256(concat(
            '',
            '|', length(cast("the ""age""" as varchar)), ':', cast("the ""age""" as varchar),
            '|', length(cast(sex as varchar)), ':', cast(sex as varchar)
        )) as digest,
        row_count
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
