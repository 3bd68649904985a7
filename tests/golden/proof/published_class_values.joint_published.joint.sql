-- published_joint_values_of_diagnosis: how often each diagnosis occurs in each published class,
--   divided by the other sensitive values
-- reads:   published_combinations, table_values_of_diagnosis
-- returns: one row per class and value
--   value        code of the value
--   value_count  rows
select
    combinations."the ""age""", combinations.sex, combinations.text_of_salary as value_of_salary,
    table_values.value, cast(sum(combinations.row_count) as bigint) as value_count
from sqlanon.published_combinations as combinations
inner join sqlanon.table_values_of_diagnosis as table_values
    on table_values.text is not distinct from combinations.text_of_diagnosis
group by
    combinations."the ""age""", combinations.sex, combinations.text_of_salary, table_values.value
