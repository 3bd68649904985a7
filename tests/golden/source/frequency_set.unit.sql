-- frequency_set: the source as packed keys; every query of the search reads this table
-- reads:   source_combinations, value_codes; proof_of_hierarchies showed that every value has a
--   code
-- returns: one row per distinct combination
--   key_1       packed values of the "age", sex
--   value_of_diagnosis   code of diagnosis, as in table_values_of_diagnosis
--   value_of_salary   code of salary, as in table_values_of_salary
--   person      number of the person
--   row_count   source rows   [rows]
select
    codes_1.key_1
    + codes_2.key_1 as key_1,
    values_of_diagnosis.value as value_of_diagnosis,
    values_of_salary.value as value_of_salary,
    dense_rank() over (order by combinations.person) as person,
    combinations.row_count as row_count
from sqlanon.source_combinations as combinations
left join sqlanon.value_codes as codes_1
    on codes_1.attribute = 'the "age"'
    and codes_1.value is not distinct from cast(combinations."the ""age""" as varchar)
left join sqlanon.value_codes as codes_2
    on codes_2.attribute = 'sex'
    and codes_2.value is not distinct from cast(combinations.sex as varchar)
left join sqlanon.table_values_of_diagnosis as values_of_diagnosis
    on values_of_diagnosis.text
        is not distinct from cast(combinations.counted_1 as varchar)
left join sqlanon.table_values_of_salary as values_of_salary
    on values_of_salary.text
        is not distinct from cast(combinations.counted_2 as varchar)
