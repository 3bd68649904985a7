-- label_places: the places that each label of a hierarchy covers; they are consecutive
-- reads:   value_places, hierarchy_of_tôwn
-- returns: one row per categorical attribute, place and level
--   label         label of the value at this place, at this level
--   first_place, last_place   first and last place that the label covers
--   width         share of the values that the label covers, times the attribute's weight
-- nulls:   the labels of a missing value are null below the top, and cover nothing else
with labels (attribute_number, value, level, label) as (
    -- one row per attribute, value and level
    select 3, level_0, 0, level_0
    from sqlanon."hierarchy_of_tôwn" union all
    select 3, level_0, 1, level_1
    from sqlanon."hierarchy_of_tôwn" union all
    select 3, level_0, 2, level_2
    from sqlanon."hierarchy_of_tôwn"
)
select
    labels.attribute_number,
    value_places.place,
    labels.level,
    labels.label,
    min(value_places.place) over same_label as first_place,
    max(value_places.place) over same_label as last_place,
    value_places.weight
        * (cast(count(*) over same_label as double) / value_places.place_count) as width
from labels
inner join sqlanon.value_places
    on value_places.attribute_number = labels.attribute_number
    and value_places.value is not distinct from labels.value
window same_label as (partition by labels.attribute_number, labels.level, labels.label)
