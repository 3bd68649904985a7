-- presence_bounds_0: first bounds on a cell's candidates in the table, from their number alone
-- reads:   sqlanon.presence_cells, sqlanon.presence_marginals
-- returns: one row per cell
--   rows_1, ...       published rows of its value in each column group   [rows]
--   lowest, highest   bounds on its candidates in the table: 0, and all of them   [persons]
--   changed           true: the next round may tighten the bounds
select
    cells.bucket,
    cells.value_1, cells.value_2,
    cells.person_count,
    marginals_1.row_count as rows_1,
    marginals_2.row_count as rows_2,
    cast(0 as bigint) as lowest,
    cells.person_count as highest,
    true as changed
from sqlanon.presence_cells as cells
inner join sqlanon.presence_marginals as marginals_1
    on marginals_1.bucket = cells.bucket
    and marginals_1.group_number = 1
    and marginals_1.value = cells.value_1
inner join sqlanon.presence_marginals as marginals_2
    on marginals_2.bucket = cells.bucket
    and marginals_2.group_number = 2
    and marginals_2.value = cells.value_2
