-- proven: one row if every proof holds; otherwise an error. Without this table nothing is
--   published, even if the shell continues after errors
-- reads:   proof_of_rows, proof_of_k_anonymity, source_rows, published_rows
-- returns: one row
with violations as (
    select count(*) as violation_count from sqlanon.proof_of_rows
    union all select count(*) as violation_count from sqlanon.proof_of_k_anonymity
),
sums as (
    select sum(violation_count) as violation_count
    from violations
),
source_count as (
    select count(*) as row_count
    from sqlanon.source_rows
),
published_count as (
    select count(*) as row_count
    from sqlanon.published_rows
)
select case
    when sums.violation_count > 0
        then error('sqlanon: a proof failed; nothing is published')
    -- no row is suppressed
    when published_count.row_count <> source_count.row_count
        then error('sqlanon: rows are missing; nothing is published')
    else 'proven'
end as verdict
from sums
cross join source_count
cross join published_count
