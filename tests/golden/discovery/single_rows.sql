-- single_rows: how many rows each set of columns singles out, in the sample
-- reads:   sampled_rows
-- returns: one row per set
--   set_number    place of the set in the question, from 1
--   single_rows   rows that share their values of these columns with no other row   [rows]
-- nulls:   a missing value is a value
select 1 as set_number, count(*) as single_rows
from (
    select 1
    from sqlanon.sampled_rows
    group by column_1, column_2
    having count(*) = 1
) as single_rows_1
union all
select 2 as set_number, count(*) as single_rows
from (
    select 1
    from sqlanon.sampled_rows
    group by column_1, column_3
    having count(*) = 1
) as single_rows_2
union all
select 3 as set_number, count(*) as single_rows
from (
    select 1
    from sqlanon.sampled_rows
    group by column_2, column_3
    having count(*) = 1
) as single_rows_3
