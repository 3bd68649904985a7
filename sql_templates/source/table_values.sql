{#- inputs: column CountedColumn -#}
-- {{ column.named("table_values") }}: the values of {{ column.name | comment }} in the whole table
-- reads:   counted_values
-- returns: one row per value
select value, text, number, place, row_count, table_size
from sqlanon.counted_values
where attribute = {{ column.name | text }}
