-- histories_classes: the published classes, by the known columns
-- reads:   histories_published
-- returns: one row per class: first and last place of each column
select distinct class, first_1, last_1, first_2, last_2
from sqlanon.histories_published
