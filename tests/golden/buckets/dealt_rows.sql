-- dealt_rows: every row dealt to a bucket, so that for each value of disease
--   all buckets have nearly the same number of rows
-- source:  Stack and Deal: values are stacked by frequency and dealt in cyclic order
-- reads:   keyed_rows, row_combinations, table_values_of_disease, hierarchy_of_age
-- returns: one row per source row: its combination and its keys
--   bucket   number of the bucket, from 1; there are floor(rows / 2) buckets per stratum,
--            each of at least 2 rows
-- order:   the rows of a value are dealt in an order that depends on the seed alone
with valued_combinations as (
    -- one row per distinct row: its value, and the labels by which strata differ
    -- strata: age at level 1;
    -- rows of different strata are not dealt together
    select
        row_combinations.combination,
        row_combinations.row_count,
        stratum_of_age.level_1 as label_of_age,
        table_values.value
    from sqlanon.row_combinations
    left join sqlanon.table_values_of_disease as table_values
        on table_values.text
            is not distinct from cast(row_combinations.disease as varchar)
    left join sqlanon.hierarchy_of_age as stratum_of_age
        on stratum_of_age.level_0
            is not distinct from cast(row_combinations.age as varchar)
),
sized_strata as (
    -- one row per stratum: its rows, and its number among the large and among the small ones
    select
        label_of_age,
        sum(row_count) as stratum_size,
        row_number() over (
            partition by sum(row_count) >= 2
            order by sum(row_count), label_of_age
        ) as place,
        sum(
            case when sum(row_count) < 2 then sum(row_count) else 0 end
        ) over () as small_rows
    from valued_combinations
    group by label_of_age
),
numbered_strata as (
    -- the same rows, with the number of the stratum: those of fewer than 2 rows are merged into
    -- stratum 0; if that has fewer than 2 rows, the smallest other stratum is merged into it, too
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
    -- one row per distinct row: its stratum
    select
        valued_combinations.combination,
        valued_combinations.row_count,
        valued_combinations.value,
        numbered_strata.stratum
    from valued_combinations
    left join numbered_strata
        on numbered_strata.label_of_age
            is not distinct from valued_combinations.label_of_age
),
stack as (
    -- one row per value and stratum, the most frequent first: the rows before it on the stack
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
    -- one row per stratum: the number of buckets
    select
        stratum,
        sum(sum(row_count) // 2) over (order by stratum)
            - sum(row_count) // 2 as buckets_before,
        sum(row_count) // 2 as bucket_count
    from stacked_combinations
    group by stratum
),
places as (
    -- one row per distinct row: where the rows of its value begin on the stack, and how many
    -- buckets there are
    select
        stacked_combinations.combination,
        stacked_combinations.value,
        cast(stack.rows_before as bigint) as rows_before,
        stacked_combinations.stratum,
        cast(deals.buckets_before as bigint) as buckets_before,
        cast(deals.bucket_count as bigint) as bucket_count
    from stacked_combinations
    inner join stack
        on stack.value = stacked_combinations.value
        and stack.stratum = stacked_combinations.stratum
    inner join deals on deals.stratum = stacked_combinations.stratum
),
stacked_rows as (
    -- one row per source row: its place on the stack
    select
        keyed_rows.*,
        places.buckets_before,
        places.bucket_count,
        places.rows_before + row_number() over (
            partition by places.stratum, places.value
            order by keyed_rows.dealing_key
        ) as place
    from sqlanon.keyed_rows
    inner join places on places.combination = keyed_rows.combination
)
select
    combination,
    key_of_age_zip,
    key_of_disease,
    cast(buckets_before + (place - 1) % bucket_count + 1 as integer) as bucket
from stacked_rows
