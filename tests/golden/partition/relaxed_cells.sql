-- cells: the source as places; every cut is decided on this table
-- reads:   turned_rows
-- returns: one row per turn
--   place_of_the_age   place of the "age"
--   place_of_born   place of born
--   place_of_town   place of tôwn
--   place_of_select   place of select
--   value_of_diagnosis   code of diagnosis, as in table_values_of_diagnosis
--   deal   turn in which rows at a cut are dealt to both sides; it does not depend on values
--   row_count   source rows   [rows]
select
    place_of_the_age,
    place_of_born,
    place_of_town,
    place_of_select,
    value_of_diagnosis,
    deal,
    count(*) as row_count
from sqlanon.turned_rows
group by
    deal,
    place_of_the_age,
    place_of_born,
    place_of_town,
    place_of_select,
    value_of_diagnosis
