-- dealt_rows: every row with the class that it was dealt to
-- reads:   cells, class_cells
-- returns: one row per source row: which distinct row it is like
--   bucket   number of the class, from 1
select cells.combination, class_cells.class as bucket
from sqlanon.class_cells as class_cells
inner join sqlanon.cells as cells on cells.deal = class_cells.deal
