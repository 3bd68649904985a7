-- proof_of_rows: an empty publication proves nothing, so it counts as a violation
-- reads:   published_rows
-- returns: one row if nothing was published; otherwise no row
select 'nothing was published' as violation
from (
    select count(*) as row_count
    from sqlanon.published_rows
) as counted_rows
where counted_rows.row_count = 0
