-- published_table_values_of_diagnosis: the values of diagnosis in the publication
-- reads:   published_combinations, table_values_of_diagnosis
-- returns: one row per published value
--   row_count, table_size   persons with the value, and of the publication
select
    table_values.value,
    table_values.text,
    table_values.number,
    table_values.place,
    count(distinct combinations.person) as row_count,
    min(table_sizes.table_size) as table_size
from sqlanon.published_combinations as combinations
inner join sqlanon.table_values_of_diagnosis as table_values
    on table_values.text is not distinct from combinations.text_of_diagnosis
cross join (
    select count(distinct combinations.person) as table_size
    from sqlanon.published_combinations as combinations
) as table_sizes
group by table_values.value, table_values.text, table_values.number, table_values.place
