{#- inputs: name str, values list[str], roots str -#}
{% import "_comments.sql" as comments %}
{{ comments.line("-- " ~ name ~ ":", "the published count of every value of every column group") }}
-- reads:   {{ values | join(", ") }}{{ ", " ~ roots if roots }}
{% if roots %}
--   Buckets are merged if a person may be in both of them, and so are the person's values in
--   them, with the sum of their counts; the bucket that a count came from is lost.
{% endif %}
-- returns: one row per bucket, column group and value
--   row_count      [rows]
--   bucket_count   published buckets that the value comes from   [buckets]
--   code_count     different published values that it merges   [values]
{% set key = "buckets.root, published_counts.group_number, roots.root" if roots else "bucket, group_number, value" %}
with published_counts (bucket, group_number, value, code, row_count) as (
{% for relation in values %}
    {{ "union all " if not loop.first }}select bucket, {{ loop.index }}, value, code, row_count from {{ relation }}
{% endfor %}
)
select
    {{ "buckets.root as bucket" if roots else "bucket" }},
    published_counts.group_number,
    {{ "roots.root as value" if roots else "value" }},
    cast(sum(published_counts.row_count) as bigint) as row_count,
    count(distinct published_counts.bucket) as bucket_count,
    count(distinct published_counts.code) as code_count
from published_counts
{% if roots %}
inner join {{ roots }} as buckets
    on buckets.group_number = 0
    and buckets.value = published_counts.bucket
inner join {{ roots }} as roots
    on roots.group_number = published_counts.group_number
    and roots.value = published_counts.value
{% endif %}
group by {{ key }}
