-- dealt_rows: every row dealt to a bucket, so that all buckets have nearly the same number of rows with
--   each value of disease
-- source:  Stack and Deal: values stacked by frequency, dealt in a cycle
-- reads:   keyed_rows, row_combinations, table_values_1, hierarchy_of_age
-- returns: one row per source row: its combination, its keys
--   bucket   number of the bucket, from 1; 2 rows or more each, floor(rows / 2) buckets per stratum
-- order:   rows of one value are dealt in an order that only the seed knows
with valued_combinations as (
    -- strata: age at level 1; only rows that are equal there are dealt together
    select
        combinations.combination as combination,
        combinations.row_count as row_count,
        stratum_of_1.level_1 as label_1,
        table_values.value
    from sqlanon.row_combinations as combinations
    left join sqlanon.table_values_1 as table_values
        on table_values.text is not distinct from cast(combinations.disease as varchar)
    left join sqlanon.hierarchy_of_age as stratum_of_1
        on stratum_of_1.level_0 is not distinct from cast(
            combinations.age as varchar
        )
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
    from valued_combinations
    group by label_1
),
numbered_strata as (
    -- strata of fewer than 2 rows become one, number 0; the smallest other one joins them where
    -- they are fewer than 2 rows even so
    select
        *,
        case
            when stratum_size < 2 or (place = 1 and small_rows between 1 and 1)
                then 0
            else place
        end as stratum
    from sized_strata
),
stacked_combinations as (
    select
        valued_combinations.combination,
        valued_combinations.row_count,
        valued_combinations.value,
        numbered_strata.stratum
    from valued_combinations
    left join numbered_strata
        on numbered_strata.label_1 is not distinct from valued_combinations.label_1
),
stack as (
    -- the values, the most frequent first: how many rows lie on the stack before each
    select
        stratum,
        value,
        sum(sum(row_count)) over (
            partition by stratum
            order by sum(row_count) desc, value
        ) - sum(row_count) as rows_before
    from stacked_combinations
    group by stratum, value
),
deals as (
    -- how many buckets there are to deal to
    select
        stratum,
        sum(sum(row_count) // 2) over (order by stratum)
            - sum(row_count) // 2 as buckets_before,
        sum(row_count) // 2 as bucket_count
    from stacked_combinations
    group by stratum
),
places as (
    -- where on the stack the rows of a combination can lie, and how many buckets there are for them
    select
        combinations.combination,
        combinations.value,
        cast(stack.rows_before as bigint) as rows_before,
        combinations.stratum,
        cast(deals.buckets_before as bigint) as buckets_before,
        cast(deals.bucket_count as bigint) as bucket_count
    from stacked_combinations as combinations
    inner join stack
        on stack.value = combinations.value
        and stack.stratum = combinations.stratum
    inner join deals on deals.stratum = combinations.stratum
),
stacked_rows as (
    select
        keyed_rows.*,
        places.buckets_before,
        places.bucket_count,
        places.rows_before + row_number() over (
            partition by places.stratum, places.value
            order by keyed_rows.key_0
        ) as place
    from sqlanon.keyed_rows as keyed_rows
    inner join places on places.combination = keyed_rows.combination
)
select
    combination,
    key_1,
    key_2,
    cast(buckets_before + (place - 1) % bucket_count + 1 as integer) as bucket
from stacked_rows
