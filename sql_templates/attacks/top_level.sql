{#- inputs: name str, value_levels str -#}
-- {{ name }}: the level on which every value has one label
-- reads:   {{ value_levels }}
-- returns: one row
select max(value_levels.level) as top_level
from {{ value_levels }} as value_levels
