-- value_levels_of_diagnosis: the hierarchy of diagnosis, by the codes of its values
-- reads:   hierarchy_levels, counted_values
-- returns: one row per value and level
select
    counted_values.value,
    hierarchy_levels.level,
    hierarchy_levels.label,
    hierarchy_levels.coarser_label
from sqlanon.hierarchy_levels
inner join sqlanon.counted_values
    on counted_values.attribute = hierarchy_levels.attribute
    and counted_values.text is not distinct from hierarchy_levels.value
where hierarchy_levels.attribute = 'diagnosis'
