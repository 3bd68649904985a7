-- dealt_rows: every row dealt to a bucket, so that all buckets have nearly the same number of rows with
--   each value of disease
-- source:  Stack and Deal: values stacked by frequency, dealt in a cycle
-- reads:   keyed_rows, table_values_1, hierarchy_of_age
-- returns: one row per source row
--   bucket   number of the bucket, from 1; 2 rows or more each, floor(rows / 2) buckets per stratum
-- order:   rows of one value are dealt in an order that only the seed knows
with stratified_rows as (
    -- rows by age at level 1: only rows that are equal there are dealt together
    select
        keyed_rows.*,
        stratum_of_1.level_1 as stratum_label_1
    from sqlanon.keyed_rows as keyed_rows
    left join sqlanon.hierarchy_of_age as stratum_of_1
        on stratum_of_1.level_0 is not distinct from cast(keyed_rows.age as varchar)
),
sized_strata as (
    select
        stratum_label_1,
        count(*) as stratum_size,
        row_number() over (
            partition by count(*) >= 2
            order by count(*), stratum_label_1
        ) as place,
        sum(case when count(*) < 2 then count(*) else 0 end) over () as small_rows
    from stratified_rows
    group by stratum_label_1
),
numbered_strata as (
    -- strata of fewer than 2 rows become one, number 0; the smallest other one joins them where
    -- they are fewer than 2 rows even so
    select
        *,
        case
            when stratum_size < 2 or (place = 1 and small_rows between 1 and 1) then 0
            else place
        end as stratum
    from sized_strata
),
valued_rows as (
    select
        rows.*,
        table_values.value as value_code,
        numbered_strata.stratum
    from stratified_rows as rows
    left join sqlanon.table_values_1 as table_values
        on table_values.text is not distinct from cast(rows.disease as varchar)
    left join numbered_strata
        on numbered_strata.stratum_label_1 is not distinct from rows.stratum_label_1
),
stack as (
    -- the values, the most frequent first: how many rows lie on the stack before each
    select
        stratum,
        value_code,
        sum(count(*)) over (
            partition by stratum
            order by count(*) desc, value_code
        ) - count(*) as rows_before
    from valued_rows
    group by stratum, value_code
),
deals as (
    -- how many buckets there are to deal to
    select
        stratum,
        sum(count(*) // 2) over (order by stratum) - count(*) // 2 as buckets_before,
        count(*) // 2 as bucket_count
    from valued_rows
    group by stratum
),
stacked_rows as (
    select
        *,
        row_number() over (
            partition by stratum, value_code
            order by key_0
        ) as value_row
    from valued_rows
)
select
    stacked_rows.age,
    stacked_rows.zip,
    stacked_rows.disease,
    stacked_rows.key_1,
    stacked_rows.key_2,
    cast(deals.buckets_before + (stack.rows_before + stacked_rows.value_row - 1) % deals.bucket_count + 1 as integer) as bucket
from stacked_rows
inner join stack
    on stack.value_code = stacked_rows.value_code
    and stack.stratum = stacked_rows.stratum
inner join deals on deals.stratum = stacked_rows.stratum
