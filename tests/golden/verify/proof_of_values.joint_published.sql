-- proof_of_values_1: every published diagnosis is a value that the promises were made for
-- reads:   published_rows, table_values_1
-- returns: one row if some are not
select count(*) as unknown_rows
from sqlanon.published_rows as published_rows
left join sqlanon.table_values_1 as table_values
    on table_values.text is not distinct from cast(published_rows.diagnosis as varchar)
where table_values.value is null
having count(*) > 0
