-- value_places: the values of every quasi-identifier in order; cuts read the places alone
--   1  the "age": numeric, by value, then by text
--   2  born: date, by value, then by text
--   3  tôwn: categorical, along its hierarchy
--   4  select: ordinal, by text
-- reads:   source_values, hierarchy_of_tôwn
-- returns: one row per attribute and value
--   place       number of the value in the order, from 0
--   position    position on the attribute's scale: the number, days since 1970, or the place
--   position_range, place_count   length of the attribute's scale, and number of its places
--   weight      weight of the attribute, from the plan
--   row_count   source rows with this value   [rows]
-- nulls:   a missing value has the first place; its position is that of the least number or date,
--   and the place where values are neither
with positions (attribute_number, value, position) as (
    -- one row per attribute and value: the number or the date that it is
    select
        1,
        value,
        try_cast(value as double)
    from sqlanon.source_values
    where attribute = 'the "age"'
    union all
    select
        2,
        value,
        case
            when isfinite(try_cast(value as timestamp))
                then epoch(try_cast(value as timestamp)) / 86400
        end
    from sqlanon.source_values
    where attribute = 'born'
    union all
    select
        4,
        value,
        cast(null as double)
    from sqlanon.source_values
    where attribute = 'select'
),
places (attribute_number, value, place, position) as (
    -- one row per attribute and value: its number in the order
    select
        attribute_number,
        value,
        row_number() over (
            partition by attribute_number
            order by case when value is null then 0 else 1 end, position, value
        ) - 1,
        position
    from positions
    union all
    select
        3,
        level_0,
        row_number() over (
            order by
                case when level_0 is null then 0 else 1 end,
                level_2,
                level_1,
                level_0
        ) - 1,
        cast(null as double)
    from sqlanon."hierarchy_of_tôwn"
),
attributes (attribute_number, attribute, is_measured, weight) as (
    -- one row per attribute: are its values numbers or dates?
    values
        (
            1,
            'the "age"',
            true,
            cast(1.0 as double)
        ),
        (
            2,
            'born',
            true,
            cast(1.0 as double)
        ),
        (
            3,
            'tôwn',
            false,
            cast(1.0 as double)
        ),
        (
            4,
            'select',
            false,
            cast(2.5 as double)
        )
),
positioned_places as (
    -- one row per attribute and value: its place, and its position on the attribute's scale
    select
        attributes.attribute_number,
        attributes.attribute,
        attributes.weight,
        places.value,
        cast(places.place as integer) as place,
        case
            when attributes.is_measured then coalesce(
                places.position,
                min(places.position) over (partition by attributes.attribute_number),
                0
            )
            else places.place
        end as position
    from places
    inner join attributes on attributes.attribute_number = places.attribute_number
)
select
    positioned_places.*,
    max(position) over (partition by attribute_number)
        - min(position) over (partition by attribute_number) as position_range,
    count(*) over (partition by attribute_number) as place_count,
    coalesce(source_values.row_count, 0) as row_count
from positioned_places
left join sqlanon.source_values
    on source_values.attribute = positioned_places.attribute
    and source_values.value is not distinct from positioned_places.value
