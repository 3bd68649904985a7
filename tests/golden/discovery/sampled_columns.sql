-- sampled_columns: what is measured of every column in the sample
-- reads:   sampled_values
-- returns: one row per column with a value
--   present      values   [values]
--   different    different values   [values]
--   once         values of one row alone   [values]
--   words        mean number of words of a value   [words]
--   own_words    the same, of the different values, each counted once   [words]
--   padded       values that begin with 0 and another digit   [values]
select
    column_name,
    sum(row_count) as present,
    count(*) as different,
    count(*) filter (row_count = 1) as once,
    sum(row_count * len(regexp_extract_all(value, '\S+'))) / sum(row_count) as words,
    avg(len(regexp_extract_all(value, '\S+'))) as own_words,
    coalesce(sum(row_count) filter (regexp_matches(value, '^0[0-9]')), 0) as padded
from sqlanon.sampled_values
group by column_name
order by column_name
