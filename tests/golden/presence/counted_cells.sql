-- presence_counted_cells: the cells, for counting
-- reads:   sqlanon.presence_bounds_2
-- returns: one row per cell: bucket, its values, candidates, how many are in the table at least, at most
select
    bucket,
    value_1,
    value_2,
    person_count,
    lowest,
    highest
from sqlanon.presence_bounds_2
order by bucket, value_1, value_2
