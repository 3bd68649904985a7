-- bucket_parts: the parts that each bucket has
-- reads:   bucketed_rows, row_parts
-- returns: one row per bucket, column group and part
--   group_number   number of the column group, from 1
--   part           as in row_parts
select distinct
    bucketed_rows.bucket,
    1 as group_number,
    row_parts.part_1 as part
from sqlanon.bucketed_rows
inner join sqlanon.row_parts on row_parts.combination = bucketed_rows.combination
union all
select distinct
    bucketed_rows.bucket,
    2 as group_number,
    row_parts.part_2 as part
from sqlanon.bucketed_rows
inner join sqlanon.row_parts on row_parts.combination = bucketed_rows.combination
