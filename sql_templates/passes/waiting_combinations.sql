{#- inputs: relation str -#}
-- waiting_combinations: how many combinations wait for a pass
-- reads:   {{ relation }}
-- returns: one row
select count(*) as combination_count
from sqlanon.{{ relation }}
