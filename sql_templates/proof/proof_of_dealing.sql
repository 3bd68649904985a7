{#- inputs: attribute str, distinct bool, size int, strata list[tuple[str, str, int]], combination str -#}
{% set counted = "counted_rows" %}{% set least = size %}
{% set labels %}{% for _ in strata %}label_{{ loop.index }}{{ ", " if not loop.last }}{% endfor %}{% endset %}
{% set rows = "values" if combination else "dealt" %}
{% if distinct %}
-- proof_of_dealing: no bucket has a {{ attribute | comment }} twice; the promises determine its number of rows
-- source:  Xiao and Tao 2006, Anatomy, figure 3: each bucket has l different values; a row that is
--   left over goes to a bucket without its value
-- reads:   published_rows
-- returns: one row per bucket that has a value twice
-- nulls:   a missing value is a value of its own
select bucket, count(*) as row_count
from sqlanon.published_rows
group by bucket
having count({{ attribute | ident }}) > count(distinct cast({{ attribute | ident }} as varchar))
    or count(*) > count({{ attribute | ident }}) + 1
{% else %}
-- proof_of_dealing: any two buckets{{ " of a stratum" if strata }} have each {{ attribute | comment }} equally often, or one
--   of them has it once more
-- source:  Stack and Deal: rows of a value have consecutive places and are dealt in cyclic order
-- reads:   {{ "dealt_rows, row_combinations" if combination else "published_rows" }}{% for name, hierarchy, level in strata %}, {{ hierarchy | comment }}{% endfor %}

-- returns: one row per value for which that is not the case{{ "\n--   and one row per bucket with rows of several strata" if strata }}
-- nulls:   a missing value is a value of its own
with listed_values as (
    -- one row per value: a number, as rows are counted by numbers in less time and memory
    select
        cast({{ attribute | ident }} as varchar) as value,
        cast(row_number() over () as integer) as number
    from sqlanon.{{ "row_combinations" if combination else "published_rows" }}
    group by cast({{ attribute | ident }} as varchar)
),
{{ "counted_rows" if strata else "bucket_values" }} as (
    select
        dealt.bucket,
{{ "        0 as stratum,\n" if not strata }}{% for name, hierarchy, level in strata %}
        labels_{{ loop.index }}.level_{{ level }} as label_{{ loop.index }},
{% endfor %}
        listed_values.number as value,
        count(*) as row_count
    from sqlanon.{{ "dealt_rows" if combination else "published_rows" }} as dealt
{{ "    inner join sqlanon.row_combinations as values on values." ~ (combination | ident) ~ " = dealt.combination\n" if combination }}    inner join listed_values
        on listed_values.value is not distinct from cast({{ rows }}.{{ attribute | ident }} as varchar)
{% for name, hierarchy, level in strata %}
    left join sqlanon.{{ hierarchy | ident }} as labels_{{ loop.index }}
        on labels_{{ loop.index }}.level_0 is not distinct from cast({{ rows }}.{{ name | ident }} as varchar)
{% endfor %}
    group by all
),
{% if strata %}
{% include "_strata.sql" %}
bucket_values as (
    select
        counted_rows.bucket,
        strata.stratum,
        counted_rows.value,
        sum(counted_rows.row_count) as row_count
    from counted_rows
    inner join strata
{% for _ in strata %}
        {{ "on" if loop.first else "and" }} strata.label_{{ loop.index }} is not distinct from counted_rows.label_{{ loop.index }}
{% endfor %}
    group by all
),
{% endif %}
bucket_counts as (
    select stratum, count(distinct bucket) as bucket_count
    from bucket_values
    group by stratum
)
select bucket_values.stratum, null as bucket, count(*) as affected
from bucket_values
inner join bucket_counts on bucket_counts.stratum = bucket_values.stratum
group by bucket_values.stratum, bucket_counts.bucket_count, bucket_values.value
having max(bucket_values.row_count) > 1
    + case when count(*) < bucket_counts.bucket_count then 0 else min(bucket_values.row_count) end
{% if strata %}
union all
select null, bucket, count(distinct stratum)
from bucket_values
group by bucket
having count(distinct stratum) > 1
{% endif %}
{% endif %}
