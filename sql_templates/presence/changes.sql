{#- inputs: name str, relation str -#}
-- {{ name }}: whether another round may say more
-- reads:   {{ relation }}
-- returns: one row
--   changes   rows that the last round changed
select count(*) filter (where changed) as changes
from {{ relation }}
