-- histories_boxes: pseudonyms that leave the same of the columns that never change
-- reads:   histories_extents
-- returns: one row per extent
--   pseudonyms    with this extent; each has row_total rows
select extent, row_total, first_1, last_1, count(*) as pseudonyms
from sqlanon.histories_extents
group by extent, row_total, first_1, last_1
