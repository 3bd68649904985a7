-- proof_of_dealing: any two buckets of a stratum have each disease equally often, or one
--   of them has it once more
-- source:  Stack and Deal: rows of a value have consecutive places and are dealt in cyclic order
-- reads:   published_rows, hierarchy_of_age
-- returns: one row per value for which that is not the case
--   and one row per bucket with rows of several strata
-- nulls:   a missing value is a value of its own
with counted_rows as (
    select
        dealt.bucket,
        labels_1.level_1 as label_1,
        cast(dealt.disease as varchar) as value,
        count(*) as row_count
    from sqlanon.published_rows as dealt
    left join sqlanon.hierarchy_of_age as labels_1
        on labels_1.level_0 is not distinct from cast(dealt.age as varchar)
    group by all
),
sized_strata as (
    select
        label_1,
        sum(row_count) as stratum_size,
        row_number() over (
            partition by sum(row_count) >= 2
            order by sum(row_count), label_1
        ) as place,
        sum(
            case when sum(row_count) < 2 then sum(row_count) else 0 end
        ) over () as small_rows
    from counted_rows
    group by label_1
),
strata as (
    -- strata of fewer than 2 rows are merged into stratum 0; if that has fewer than 2
    -- rows, the smallest other stratum is merged into it, too
    select
        label_1,
        case
            when stratum_size < 2 or (place = 1 and small_rows between 1 and 1)
                then 0
            else place
        end as stratum
    from sized_strata
),
bucket_values as (
    select
        counted_rows.bucket,
        strata.stratum,
        counted_rows.value,
        sum(counted_rows.row_count) as row_count
    from counted_rows
    inner join strata
        on strata.label_1 is not distinct from counted_rows.label_1
    group by all
),
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
union all
select null, bucket, count(distinct stratum)
from bucket_values
group by bucket
having count(distinct stratum) > 1
