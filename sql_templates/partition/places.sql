-- places: the places of every quasi-identifier in order, and what ranges of them are written with
-- reads:   value_places
-- returns: one row per attribute and place
--   position, end_position   where its values begin and end on the attribute's scale
--   position_range   length of the scale between the beginnings of the first and the last place
--   extent           the same up to the end of the last place
--   opening, closing, label   how a range is written that begins or ends with it, or is it alone
--   value_count, row_count    number of its values, and of source rows that have them
-- nulls:   the place of a missing value has no label; its position is that of the least number or
--   date, and the place where values are neither
select
    attribute_number,
    attribute,
    weight,
    place,
    place_count,
    first_position as position,
    last_position as end_position,
    max(first_position) over (partition by attribute_number)
        - min(first_position) over (partition by attribute_number) as position_range,
    max(last_position) over (partition by attribute_number)
        - min(first_position) over (partition by attribute_number) as extent,
    opening,
    closing,
    label,
    value_count,
    row_count
from (
    select
        attribute_number,
        attribute,
        weight,
        place,
        place_count,
        first_position,
        last_position,
        opening,
        closing,
        label,
        count(*) as value_count,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.value_places
    group by
        attribute_number, attribute, weight, place, place_count, first_position, last_position,
        opening, closing, label
) as grouped_places
