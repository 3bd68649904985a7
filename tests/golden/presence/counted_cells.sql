-- presence_counted_cells: the cells, for counting
-- reads:   sqlanon.presence_bounds_2
-- returns: one row per cell: its bucket and values, its candidates, and the lower and upper bound
--   on those in the table
select bucket, value_1, value_2, person_count, lowest, highest
from sqlanon.presence_bounds_2
order by bucket, value_1, value_2
