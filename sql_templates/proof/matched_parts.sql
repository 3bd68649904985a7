{#- inputs: name str, most int, fetched int, rows str, combinations str, combination str, first list[str], second list[str] -#}
{% import "_comments.sql" as comments %}
{% macro texts(part, stem, relation) %}{% for name in part %}cast({{ relation }}.{{ name | ident }} as varchar) as {{ stem }}_{{ loop.index }}, {% endfor %}{% endmacro %}
{% macro join_parts(part, stem, relation) %}
    inner join {{ stem }}_parts
{% for _ in part %}
        {{ "on" if loop.first else "and" }} {{ stem }}_parts.{{ stem }}_{{ loop.index }} is not distinct from {{ relation }}.{{ stem }}_{{ loop.index }}
{% endfor %}
{% endmacro %}
{% macro key(part, stem) %}{% for name in part %}{{ stem }}_{{ loop.index }}{{ ", " if not loop.last }}{% endfor %}{% endmacro %}
{{ comments.line("-- " ~ name ~ ":", "the parts of a bucket that may have been in the same source row") }}
--   first   {{ first | join(", ") | comment }}
--   second  {{ second | join(", ") | comment }}
{{ comments.line("-- reads:  ", "published_rows, " ~ rows ~ ", " ~ combinations) }}
-- returns: one row per bucket and pair of its parts that occurs in a source row; one row for a part
--   without such a pair. Buckets are left out if source rows have all pairs of their parts, often
--   enough: these parts can come from source rows
--   first, second               numbers of the parts
--   first_count, second_count   rows of the bucket with each part   [rows]
--   most                        source rows with both parts   [rows]
--   run                         number of the run; a run has buckets with about {{ fetched }} pairs;
--                               null for a bucket with more than {{ most }} pairs
-- nulls:   a missing value is a value of its own
with source_parts as (
    select {{ texts(first, "first", "combinations") }}{{ texts(second, "second", "combinations") }}count(*) as row_count
    from sqlanon.{{ rows }} as assigned_rows
    inner join sqlanon.{{ combinations }} as combinations
        on combinations.{{ combination | ident }} = assigned_rows.combination
    group by all
),
{% for stem, part in (("first", first), ("second", second)) %}
{{ stem }}_parts as (
    select {{ key(part, stem) }}, row_number() over () as part
    from source_parts
    group by {{ key(part, stem) }}
),
{% endfor %}
pairs as (
    select first_parts.part as first, second_parts.part as second, source_parts.row_count
    from source_parts
{{ join_parts(first, "first", "source_parts") }}{{ join_parts(second, "second", "source_parts") -}}
),
{% for stem, part in (("first", first), ("second", second)) %}
bucket_{{ stem }}s as (
    select published.bucket, {{ stem }}_parts.part, count(*) as part_count
    from (
        select {{ texts(part, stem, "published_rows") }}bucket
        from sqlanon.published_rows
    ) as published
{{ join_parts(part, stem, "published") }}    group by published.bucket, {{ stem }}_parts.part
),
{% endfor %}
found as (
    select
        bucket_firsts.bucket,
        bucket_firsts.part as first,
        bucket_seconds.part as second,
        bucket_firsts.part_count as first_count,
        bucket_seconds.part_count as second_count,
        pairs.row_count as most
    from bucket_firsts
    inner join pairs on pairs.first = bucket_firsts.part
    inner join bucket_seconds
        on bucket_seconds.bucket = bucket_firsts.bucket
        and bucket_seconds.part = pairs.second
),
listed as (
    select *
    from found
    union all
    select bucket, part, null, part_count, null, 0
    from bucket_firsts
    where not exists (
        select 1
        from found
        where found.bucket = bucket_firsts.bucket and found.first = bucket_firsts.part
    )
    union all
    select bucket, null, part, null, part_count, 0
    from bucket_seconds
    where not exists (
        select 1
        from found
        where found.bucket = bucket_seconds.bucket and found.second = bucket_seconds.part
    )
),
runs as (
    select
        bucket,
        case
            when count(*) <= {{ most }}
                then cast(sum(count(*)) over (order by bucket) // {{ fetched }} as integer)
        end as run
    from listed
    group by bucket
    having count(*) < count(distinct first) * count(distinct second)
        or min(most - least(first_count, second_count)) < 0
        or count(*) > count(first)
        or count(*) > count(second)
)
select listed.*, runs.run
from listed
inner join runs on runs.bucket is not distinct from listed.bucket
