-- published_class_values_1: how often each diagnosis occurs in each published class
-- reads:   published_rows, table_values_1
-- returns: one row per class and value
--   value        code of the value
--   value_count  rows
select
    published_rows."the ""age""",
    published_rows.sex,
    table_values.value,
    count(*) as value_count
from sqlanon.published_rows as published_rows
inner join sqlanon.table_values_1 as table_values
    on table_values.text is not distinct from cast(published_rows.diagnosis as varchar)
group by
    published_rows."the ""age""",
    published_rows.sex,
    table_values.value
