{#- inputs: title str, value_levels str -#}
-- {{ title }}: the level at which all values have the same label
-- reads:   {{ value_levels }}
-- returns: one row
select max(value_levels.level) as top_level
from {{ value_levels }} as value_levels
