-- attack_of_similarity_8_top: the level at which all values have the same label
-- reads:   sqlanon.value_levels_of_disease
-- returns: one row
select max(value_levels.level) as top_level
from sqlanon.value_levels_of_disease as value_levels
