-- frequency_set: the source as packed keys; every query of the search reads this table
-- reads:   source_combinations, value_codes; hierarchy_problems showed that every value has a code
-- returns: one row per distinct combination
--   key_1       packed values of the "age", sex
--   value_1     code of diagnosis, as in table_values_1
--   value_2     code of salary, as in table_values_2
--   person      number of the person
--   row_count   source rows   [rows]
select
    codes_1.key_1
    + codes_2.key_1 as key_1,
    values_1.value as value_1,
    values_2.value as value_2,
    dense_rank() over (order by combinations.person) as person,
    combinations.row_count as row_count
from sqlanon.source_combinations as combinations
left join sqlanon.value_codes as codes_1
    on codes_1.attribute = 'the "age"'
    and codes_1.value is not distinct from cast(combinations."the ""age""" as varchar)
left join sqlanon.value_codes as codes_2
    on codes_2.attribute = 'sex'
    and codes_2.value is not distinct from cast(combinations.sex as varchar)
left join sqlanon.table_values_1 as values_1
    on values_1.text
        is not distinct from cast(combinations.counted_1 as varchar)
left join sqlanon.table_values_2 as values_2
    on values_2.text
        is not distinct from cast(combinations.counted_2 as varchar)
