-- dependent_columns: which columns stay the same while a key does, in the sample
-- reads:   sampled_rows
-- returns: one row per column that could be a key: its place in the question, then for each column
--   repeated   values of the key with two or more values of the column   [values]
--   changed    those within which the column has different values   [values]
-- nulls:   a missing value is none
select
    1 as key_number,
    count(*) filter (present_1 > 1) as repeated_1,
    count(*) filter (first_1 <> last_1) as changed_1,
    count(*) filter (present_2 > 1) as repeated_2,
    count(*) filter (first_2 <> last_2) as changed_2,
    count(*) filter (present_3 > 1) as repeated_3,
    count(*) filter (first_3 <> last_3) as changed_3
from (
    select
        count(column_1) as present_1,
        min(column_1) as first_1,
        max(column_1) as last_1,
        count(column_2) as present_2,
        min(column_2) as first_2,
        max(column_2) as last_2,
        count(column_3) as present_3,
        min(column_3) as first_3,
        max(column_3) as last_3
    from sqlanon.sampled_rows
    where column_4 is not null
    group by column_4
    having count(*) > 1
) as values_of_key_1
union all
select
    2 as key_number,
    count(*) filter (present_1 > 1) as repeated_1,
    count(*) filter (first_1 <> last_1) as changed_1,
    count(*) filter (present_2 > 1) as repeated_2,
    count(*) filter (first_2 <> last_2) as changed_2,
    count(*) filter (present_3 > 1) as repeated_3,
    count(*) filter (first_3 <> last_3) as changed_3
from (
    select
        count(column_1) as present_1,
        min(column_1) as first_1,
        max(column_1) as last_1,
        count(column_2) as present_2,
        min(column_2) as first_2,
        max(column_2) as last_2,
        count(column_3) as present_3,
        min(column_3) as first_3,
        max(column_3) as last_3
    from sqlanon.sampled_rows
    where column_5 is not null
    group by column_5
    having count(*) > 1
) as values_of_key_2
