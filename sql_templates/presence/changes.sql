{#- inputs: name str, relation str -#}
-- {{ name }}: whether another round may tighten the bounds
-- reads:   {{ relation }}
-- returns: one row
--   changes   rows that the last round changed
select count(*) filter (where changed) as changes
from {{ relation }}
