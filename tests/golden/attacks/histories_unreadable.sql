-- histories_unreadable: published labels of which it is not known what values they cover
-- reads:   histories_labels
-- returns: one row: their number
select count(*)
from sqlanon.histories_labels as labels
where labels.first_place is null or labels.last_place is null
