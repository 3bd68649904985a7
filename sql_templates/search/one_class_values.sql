{#- inputs: number int, attribute str -#}
-- one_class_values_{{ number }}: how often each value of {{ attribute | comment }} occurs in that class
-- reads:   table_values_{{ number }}
-- returns: one row per value
select 0 as node, value, row_count as value_count
from sqlanon.table_values_{{ number }}
