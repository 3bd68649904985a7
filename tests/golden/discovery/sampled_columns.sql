-- sampled_columns: what is measured of every column in the sample
-- reads:   sampled_rows
-- returns: one row: the number of rows, then for each column
--   present    values   [values]
--   distinct   different values   [values]
--   once       values of one row alone   [values]
--   length     mean length of a value; 0 without one   [characters]
--   words      mean number of words of a value; 0 without one   [words]
--   padded     values that begin with 0 and another digit   [values]
select
    count(*) as row_count,
    count(column_1) as present_1,
    count(distinct column_1) as distinct_1,
    (
        select count(*)
        from (
            select column_1
            from sqlanon.sampled_rows
            where column_1 is not null
            group by column_1
            having count(*) = 1
        ) as single_values
    ) as once_1,
    coalesce(avg(length(column_1)), 0) as length_1,
    coalesce(avg(len(regexp_extract_all(column_1, '\S+'))), 0) as words_1,
    count(*) filter (regexp_matches(column_1, '^0[0-9]')) as padded_1,
    count(column_2) as present_2,
    count(distinct column_2) as distinct_2,
    (
        select count(*)
        from (
            select column_2
            from sqlanon.sampled_rows
            where column_2 is not null
            group by column_2
            having count(*) = 1
        ) as single_values
    ) as once_2,
    coalesce(avg(length(column_2)), 0) as length_2,
    coalesce(avg(len(regexp_extract_all(column_2, '\S+'))), 0) as words_2,
    count(*) filter (regexp_matches(column_2, '^0[0-9]')) as padded_2,
    count(column_3) as present_3,
    count(distinct column_3) as distinct_3,
    (
        select count(*)
        from (
            select column_3
            from sqlanon.sampled_rows
            where column_3 is not null
            group by column_3
            having count(*) = 1
        ) as single_values
    ) as once_3,
    coalesce(avg(length(column_3)), 0) as length_3,
    coalesce(avg(len(regexp_extract_all(column_3, '\S+'))), 0) as words_3,
    count(*) filter (regexp_matches(column_3, '^0[0-9]')) as padded_3
from sqlanon.sampled_rows
