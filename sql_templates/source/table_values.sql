{#- inputs: number int, attribute str -#}
-- table_values_{{ number }}: the values of {{ attribute | comment }} in the whole table
-- reads:   counted_values
-- returns: one row per value
select value, text, number, place, row_count, table_size
from sqlanon.counted_values
where attribute = {{ attribute | text }}
