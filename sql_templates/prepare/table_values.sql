{#- inputs: name str, relation str, attribute str -#}
-- {{ name }}: the values of {{ attribute | comment }} in the whole table
-- reads:   {{ relation }}
-- returns: one row per value
select value, text, number, place, row_count
from {{ relation }}
where attribute = {{ attribute | text }}
