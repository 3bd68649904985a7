-- column_profile: counts of every column over all rows, and a sample of rows
-- reads:   source
-- returns: one row
--   row_count         rows of the source   [rows]
--   present_n         rows with a value of the n-th column   [rows]
--   distinct_n        different values, approximate   [values]
--   shortest_n        length of the shortest value   [characters]
--   longest_n         length of the longest value   [characters]
--   numbers_n         rows whose value is a finite number; 0 if the first are not   [rows]
--   wholes_n          rows whose value is a whole number; likewise   [rows]
--   dates_n           rows whose value is a finite date or point in time; likewise   [rows]
--   sample            the rows with the smallest hashes, so that it does not depend on their order
-- nulls:   no count has them
with read_columns as (
    select
        cast("the ""age""" as varchar) as column_1,
        cast(born as varchar) as column_2,
        town as column_3
    from sqlanon.source
)
select
    count(*) as row_count,
    count(column_1) as present_1,
    approx_count_distinct(column_1) as distinct_1,
    coalesce(min(length(column_1)), 0) as shortest_1,
    coalesce(max(length(column_1)), 0) as longest_1,
    count(*) filter (isfinite(try_cast(column_1 as double))) as numbers_1,
    count(*) filter (
        isfinite(try_cast(column_1 as double))
        and try_cast(column_1 as double) = floor(try_cast(column_1 as double))
    ) as wholes_1,
    0 as dates_1,
    count(column_2) as present_2,
    approx_count_distinct(column_2) as distinct_2,
    coalesce(min(length(column_2)), 0) as shortest_2,
    coalesce(max(length(column_2)), 0) as longest_2,
    0 as numbers_2,
    0 as wholes_2,
    count(*) filter (isfinite(try_cast(column_2 as timestamp))) as dates_2,
    count(column_3) as present_3,
    approx_count_distinct(column_3) as distinct_3,
    coalesce(min(length(column_3)), 0) as shortest_3,
    coalesce(max(length(column_3)), 0) as longest_3,
    0 as numbers_3,
    0 as wholes_3,
    0 as dates_3,
    arg_min(
        struct_pack(
            column_1 := column_1,
            column_2 := column_2,
            column_3 := column_3
        ),
        hash(
            column_1,
            column_2,
            column_3
        ),
        100000
    ) as sample
from read_columns
