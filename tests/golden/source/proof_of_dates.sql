-- proof_of_dates: dates that each database writes in its own way: before the year 1, after 9999, or
--   without an end
-- reads:   source_rows, population
-- returns: one row per column with such dates; no row if there is none
--   affected   rows with such a date   [rows]
-- nulls:   a missing date is none of them
with source_rows_dates as (
    select
        count(*) filter (
            where cast(born as date) < cast('0001-01-01' as date)
                or cast(born as date) > cast('9999-12-31' as date)
        ) as affected_1,
        count(*) filter (
            where cast("it's" as date) < cast('0001-01-01' as date)
                or cast("it's" as date) > cast('9999-12-31' as date)
        ) as affected_2
    from sqlanon.source_rows
),
population_dates as (
    select
        count(*) filter (
            where cast(born as date) < cast('0001-01-01' as date)
                or cast(born as date) > cast('9999-12-31' as date)
        ) as affected_1
    from sqlanon.population
)
select attribute, affected
from (
    select 'born' as attribute, affected_1 as affected
    from source_rows_dates
    union all
    select 'it''s' as attribute, affected_2 as affected
    from source_rows_dates
    union all
    select 'born' as attribute, affected_1 as affected
    from population_dates
) as counted_dates
where affected > 0
order by attribute, affected
