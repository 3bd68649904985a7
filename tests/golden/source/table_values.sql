-- table_values_of_diagnosis: the values of diagnosis in the whole table
-- reads:   counted_values
-- returns: one row per value
select value, text, number, place, row_count, table_size
from sqlanon.counted_values
where attribute = 'diagnosis'
