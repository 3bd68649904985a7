{#- inputs: title str, population str, population_count str -#}
-- {{ title }}: everybody of whom the attacker asks
-- reads:   {{ population }}
-- returns: one row
--   persons   of the population, also those who fall into no class   [persons]
select cast(sum({{ population_count | ident }}) as bigint) as persons
from {{ population }}
