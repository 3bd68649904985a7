-- proven: one row if every proof holds; otherwise an error. Without this table nothing is
--   published, even if the shell continues after errors
-- reads:   proof_of_rows, proof_of_k_anonymity, decided_classes, published_rows
-- returns: one row
with violations as (
    select count(*) as violation_count from sqlanon.proof_of_rows
    union all select count(*) as violation_count from sqlanon.proof_of_k_anonymity
),
expected_rows as (
    select sum(class_size) as row_count
    from sqlanon.decided_classes
),
staged_rows as (
    select count(*) as row_count
    from sqlanon.published_rows
),
sums as (
    select sum(violation_count) as violation_count
    from violations
)
select case
    when sums.violation_count = 0 and staged_rows.row_count = expected_rows.row_count
        then 'proven'
    else error('sqlanon: a proof failed or rows are missing; nothing is published')
end as verdict
from sums
cross join staged_rows
cross join expected_rows
