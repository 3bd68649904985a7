-- label_digests: the digests of the labels of hierarchies that are files or queries
-- reads:   hierarchy_levels
-- returns: one row per attribute: SHA-256 over the sorted SHA-256 of its values' labels by level,
--   in two steps to avoid long texts
-- nulls:   a missing value is in no file, and its labels are left out
with label_rows as materialized (
    -- computed once: the next step reads each digest three times
    select
        attribute,
        sha256(concat(level, '|', length(value), ':', value, '|', length(label), ':', label))
            as digest
    from sqlanon.hierarchy_levels
    where value is not null and attribute in ('job')
),
part_digests as (
    select
        attribute,
        substr(digest, 1, 3) as part,
        sha256(string_agg(concat(digest, '|'), '' order by digest)) as digest
    from label_rows
    group by attribute, substr(digest, 1, 3)
)
select attribute, sha256(string_agg(digest, '' order by part)) as labels_sha256
from part_digests
group by attribute
order by attribute
