-- proof_of_rows: an empty publication proves nothing, so it counts as a violation
select 'nothing was published' as violation
from (
    select count(*) as row_count
    from sqlanon.published_rows
) as counted_rows
where counted_rows.row_count = 0
