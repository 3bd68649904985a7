-- column_kinds: what the values of columns are, to choose how they are counted
-- reads:   sqlanon.published_rows
-- returns: one row per column
--   position        position of the column in the list
--   distinct_count  different values; of columns of numbers about  [values]
--   is_number       whether all values are numbers, and no codes such as 02139
--   is_date         whether all values are dates
--   year_count      different years, if so                         [values]
--   low, high       the numbers that 2 and 98 percent are less than
-- nulls:   a missing value is none
select
    1 as position,
    approx_count_distinct("the ""age""") as distinct_count,
    true as is_number,
    false as is_date,
    0 as year_count,
    approx_quantile(cast("the ""age""" as double), 0.02) as low,
    approx_quantile(cast("the ""age""" as double), 0.98) as high
from sqlanon.published_rows
union all select
    2 as position,
    count(text) as distinct_count,
    bool_and(
        try_cast(text as double) is not null
        and not (left(text, 1) = '0' and substr(text, 2, 1) between '0' and '9')
    ) as is_number,
    bool_and(try_cast(text as timestamp) is not null) as is_date,
    count(distinct left(text, 4)) as year_count,
    approx_quantile(try_cast(text as double), 0.02) as low,
    approx_quantile(try_cast(text as double), 0.98) as high
from (
    select distinct cast("tôwn" as varchar) as text
    from sqlanon.published_rows
) as texts_2
where text is not null
order by position
