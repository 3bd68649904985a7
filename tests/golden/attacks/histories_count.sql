-- histories_unreadable: the number of rows with first_place is null or last_place is null
-- reads:   histories_labels
-- returns: one row
select count(*)
from sqlanon.histories_labels
where first_place is null or last_place is null
