-- published_class_values_of_diagnosis: how often each diagnosis occurs in each published class
-- reads:   published_combinations, table_values_of_diagnosis
-- returns: one row per class and value
--   value        code of the value
--   value_count  persons
select
    combinations."the ""age""", combinations.sex, table_values.value,
    count(distinct combinations.person) as value_count
from sqlanon.published_combinations as combinations
inner join sqlanon.table_values_of_diagnosis as table_values
    on table_values.text is not distinct from combinations.text_of_diagnosis
group by combinations."the ""age""", combinations.sex, table_values.value
