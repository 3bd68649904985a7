-- histories_boxes_count: the number of rows
-- reads:   histories_boxes
-- returns: one row
select count(*)
from sqlanon.histories_boxes
