-- population_labels: the published label of each value of the population
-- reads:   hierarchy_levels, chosen_node
-- returns: one row per attribute and value
with label_levels (attribute, level) as (
    select attribute, level
    from sqlanon.chosen_node
)
select hierarchy_levels.attribute, hierarchy_levels.value, hierarchy_levels.label
from sqlanon.hierarchy_levels
inner join label_levels
    on label_levels.attribute = hierarchy_levels.attribute
    and label_levels.level = hierarchy_levels.level
