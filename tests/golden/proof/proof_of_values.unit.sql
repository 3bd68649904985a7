-- proof_of_values_of_diagnosis: every published diagnosis is a value that the promises counted
-- reads:   published_combinations, table_values_of_diagnosis
-- returns: one row if a value is not
select cast(sum(combinations.row_count) as bigint) as unknown_rows
from sqlanon.published_combinations as combinations
left join sqlanon.table_values_of_diagnosis as table_values
    on table_values.text is not distinct from combinations.text_of_diagnosis
where table_values.value is null
having count(*) > 0
