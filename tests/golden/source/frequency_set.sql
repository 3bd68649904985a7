-- frequency_set: the source as packed keys; every query of the search reads this table
-- reads:   source_combinations, value_codes; proof_of_hierarchies showed that every value has a
--   code
-- returns: one row per distinct combination
--   key_1       packed values of the "age", born, zip, select, longitude, tôwn, work
--   key_2       packed values of sex
--   row_count   source rows   [rows]
select
    codes_1.key_1
    + codes_2.key_1
    + codes_3.key_1
    + codes_4.key_1
    + codes_5.key_1
    + codes_6.key_1
    + codes_7.key_1 as key_1,
    codes_8.key_2 as key_2,
    combinations.row_count as row_count
from sqlanon.source_combinations as combinations
left join sqlanon.value_codes as codes_1
    on codes_1.attribute = 'the "age"'
    and codes_1.value is not distinct from cast(combinations."the ""age""" as varchar)
left join sqlanon.value_codes as codes_2
    on codes_2.attribute = 'born'
    and codes_2.value is not distinct from cast(combinations.born as varchar)
left join sqlanon.value_codes as codes_3
    on codes_3.attribute = 'zip'
    and codes_3.value is not distinct from cast(combinations.zip as varchar)
left join sqlanon.value_codes as codes_4
    on codes_4.attribute = 'select'
    and codes_4.value is not distinct from cast(combinations."select" as varchar)
left join sqlanon.value_codes as codes_5
    on codes_5.attribute = 'longitude'
    and codes_5.value is not distinct from cast(combinations.longitude as varchar)
left join sqlanon.value_codes as codes_6
    on codes_6.attribute = 'tôwn'
    and codes_6.value is not distinct from cast(combinations."tôwn" as varchar)
left join sqlanon.value_codes as codes_7
    on codes_7.attribute = 'work'
    and codes_7.value is not distinct from cast(combinations.work as varchar)
left join sqlanon.value_codes as codes_8
    on codes_8.attribute = 'sex'
    and codes_8.value is not distinct from cast(combinations.sex as varchar)
