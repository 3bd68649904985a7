-- attack_of_similarity_8_top: the level on which every value has one label
-- reads:   sqlanon.value_levels_1
-- returns: one row
select max(value_levels.level) as top_level
from sqlanon.value_levels_1 as value_levels
