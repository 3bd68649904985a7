-- proof_of_suppression: no more rows are suppressed than the plan allows
-- reads:   source_rows, published_rows
-- returns: one row if too many are missing, or some are not of the source; otherwise no row
with source_count as (
    select count(*) as row_count
    from sqlanon.source_rows
),
published_count as (
    select count(*) as row_count
    from sqlanon.published_rows
)
select source_count.row_count as source_rows, published_count.row_count as published_rows
from source_count
cross join published_count
where published_count.row_count <> source_count.row_count
