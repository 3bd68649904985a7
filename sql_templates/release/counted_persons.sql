{#- inputs: relation str, person str -#}
-- counted_persons: how many persons have a row
-- reads:   {{ relation }}
-- returns: one row
select count(distinct {{ person | ident }}) as persons
from sqlanon.{{ relation }}
