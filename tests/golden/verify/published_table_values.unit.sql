-- published_table_values_1: the values of diagnosis in the publication
-- reads:   published_rows, table_values_1
-- returns: one row per published value
select
    table_values.value,
    table_values.text,
    table_values.number,
    table_values.place,
    count(distinct published_rows.visitor) as row_count
from sqlanon.published_rows as published_rows
inner join sqlanon.table_values_1 as table_values
    on table_values.text is not distinct from cast(published_rows.diagnosis as varchar)
group by table_values.value, table_values.text, table_values.number, table_values.place
