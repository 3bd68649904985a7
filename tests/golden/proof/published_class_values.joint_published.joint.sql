-- published_joint_values_1: how often each diagnosis occurs in each published class, divided by
--   the other sensitive values
-- reads:   published_combinations, table_values_1
-- returns: one row per class and value
--   value        code of the value
--   value_count  rows
select
    combinations."the ""age""", combinations.sex, combinations.text_2 as value_2,
    table_values.value, cast(sum(combinations.row_count) as bigint) as value_count
from sqlanon.published_combinations as combinations
inner join sqlanon.table_values_1 as table_values
    on table_values.text is not distinct from combinations.text_1
group by combinations."the ""age""", combinations.sex, combinations.text_2, table_values.value
