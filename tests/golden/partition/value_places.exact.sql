-- value_places: the values of every quasi-identifier in order; cuts read the places alone
--   1  the "age": numeric, by value, then by text
--   2  born: date, by value, then by text
--   3  tôwn: categorical, along its hierarchy
--   4  select: ordinal, by text
-- reads:   source_values, hierarchy_of_tôwn
-- returns: one row per attribute and value
--   kind        how the values are ordered: numeric, date, ordinal, or categorical
--   place       number of the value in the order, from 0; values that no cut parts share one
--   place_count   number of places of the attribute
--   position    position on the attribute's scale: the number, or days since 1970
--   first_position, last_position   positions where the values of this place begin and end
--   opening, closing   how a range is written that begins or ends with this place
--   label       how a range of this place alone is written
--   weight      weight of the attribute, from the plan
--   row_count   source rows with this value   [rows]
-- nulls:   a missing value has the first place, and no position
with positions (
    attribute_number, value, position, first_position, last_position, line, opening, closing
) as (
    -- one row per attribute and value: the number or the date that it is, and the range of values
    -- that are not distinguished
    select
        1,
        value,
        try_cast(value as double),
        cast(null as double),
        cast(null as double),
        value,
        cast(null as varchar),
        cast(null as varchar)
    from sqlanon.source_values
    where attribute = 'the "age"'
    union all
    select
        2,
        value,
        case
            when isfinite(try_cast(value as timestamp))
                then epoch(try_cast(value as timestamp)) / 86400
        end,
        cast(null as double),
        cast(null as double),
        value,
        cast(null as varchar),
        cast(null as varchar)
    from sqlanon.source_values
    where attribute = 'born'
    union all
    select
        4,
        value,
        cast(null as double),
        cast(null as double),
        cast(null as double),
        value,
        cast(null as varchar),
        cast(null as varchar)
    from sqlanon.source_values
    where attribute = 'select'
),
places (
    attribute_number, value, place, position, first_position, last_position, opening, closing
) as (
    -- one row per attribute and value: its number in the order
    select
        attribute_number,
        value,
        dense_rank() over (
            partition by attribute_number
            order by
                case when value is null then 0 else 1 end,
                coalesce(first_position, position), line
        ) - 1,
        position,
        first_position,
        last_position,
        opening,
        closing
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
        cast(null as double),
        cast(null as double),
        cast(null as double),
        cast(null as varchar),
        cast(null as varchar)
    from sqlanon."hierarchy_of_tôwn"
),
attributes (attribute_number, attribute, kind, weight) as (
    -- one row per attribute: how its values are ordered
    values
        (
            1,
            'the "age"',
            'numeric',
            cast(1.0 as double)
        ),
        (
            2,
            'born',
            'date',
            cast(1.0 as double)
        ),
        (
            3,
            'tôwn',
            'categorical',
            cast(1.0 as double)
        ),
        (
            4,
            'select',
            'ordinal',
            cast(2.5 as double)
        )
)
select
    attributes.attribute_number,
    attributes.attribute,
    attributes.kind,
    attributes.weight,
    places.value,
    cast(places.place as integer) as place,
    max(cast(places.place as integer)) over (partition by attributes.attribute_number)
        + 1 as place_count,
    places.position,
    case
        when attributes.kind in ('numeric', 'date') then coalesce(
            places.first_position,
            places.position,
            min(coalesce(places.first_position, places.position)) over (
                partition by attributes.attribute_number
            ),
            0
        )
        else places.place
    end as first_position,
    case
        when attributes.kind in ('numeric', 'date') then coalesce(
            places.last_position,
            places.position,
            min(coalesce(places.first_position, places.position)) over (
                partition by attributes.attribute_number
            ),
            0
        )
        else places.place
    end as last_position,
    coalesce(places.opening, '[' || places.value) as opening,
    coalesce(places.closing, places.value || ']') as closing,
    case
        when places.opening is null then places.value
        when places.opening = '[*' and places.closing = '*]' then '*'
        else places.opening || ', ' || places.closing
    end as label,
    coalesce(source_values.row_count, 0) as row_count
from places
inner join attributes on attributes.attribute_number = places.attribute_number
left join sqlanon.source_values
    on source_values.attribute = attributes.attribute
    and source_values.value is not distinct from places.value
