-- cells: the source as places; every cut is decided on this table
-- reads:   turned_rows
-- returns: one row per turn
--   place_1     place of the "age"
--   place_2     place of born
--   place_3     place of tôwn
--   place_4     place of select
--   value_1     code of diagnosis, as in table_values_1
--   deal        turn in which rows at a cut are dealt to both sides; it does not depend on values
--   row_count   source rows   [rows]
select
    place_1,
    place_2,
    place_3,
    place_4,
    value_1,
    deal,
    count(*) as row_count
from sqlanon.turned_rows
group by
    deal,
    place_1,
    place_2,
    place_3,
    place_4,
    value_1
