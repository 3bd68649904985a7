{#- inputs: name str, type str -#}
-- {{ type | comment }}: the values of {{ name | comment }}, which are written by their numbers
-- reads:   row_combinations
-- returns: one row per value, in their order
select distinct {{ name | ident }}
from sqlanon.row_combinations
where {{ name | ident }} is not null
order by {{ name | ident }}
