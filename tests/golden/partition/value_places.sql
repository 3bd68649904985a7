-- value_places: the values of every quasi-identifier in order; cuts read the places alone
--   1  the "age": numeric, rounded down to a grid in steps of 2.5 from 1
--   2  born: date, rounded down to a grid by month
--   3  tôwn: categorical, along its hierarchy
--   4  select: ordinal, by text; values of fewer than 5 rows share a place with their neighbors
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
with value_persons (attribute_number, value, persons) as (
    -- one row per attribute and value: how many rows have it
    select
        4,
        value,
        row_count
    from sqlanon.source_values
    where attribute = 'select'
),
positions (
    attribute_number, value, position, first_position, last_position, line, opening, closing
) as (
    -- one row per attribute and value: the number or the date that it is, and the range of values
    -- that are not distinguished
    select
        1,
        value,
        try_cast(value as double),
        cast(line as double),
        cast(next_line as double),
        line,
        '[' || line,
        next_line || ')'
    from (
        select
            value,
            exact,
            cast(cast(line as decimal(38, 1)) as varchar) as line,
            cast(cast((line + 2.5) as decimal(38, 1)) as varchar) as next_line
        from (
            select
                value,
                exact,
                case
                    when exact is not null
                        then exact - ((exact - 1) % 2.5 + 2.5) % 2.5
                end as line
            from (
                select value, try_cast(value as decimal(37, 18)) as exact
                from sqlanon.source_values
                where attribute = 'the "age"'
            ) as exact_values
        ) as lines
    ) as texts
    union all
    select
        2,
        value,
        epoch(exact) / 86400,
        epoch(cast(substring(line || '-01-01', 1, 10) as timestamp)) / 86400,
        epoch(cast(substring(next_line || '-01-01', 1, 10) as timestamp)) / 86400,
        line,
        '[' || line,
        next_line || ')'
    from (
        select
            value,
            exact,
            substring(cast(10000 + line // 12 as varchar), 2)
                || '-' || substring(cast(101 + line % 12 as varchar), 2) as line,
            substring(cast(10000 + (line + 1) // 12 as varchar), 2)
                || '-' || substring(cast(101 + (line + 1) % 12 as varchar), 2) as next_line
        from (
            select
                value,
                exact,
                case
                    when exact is not null and year(exact) between 0 and 8799
                        then year(exact) * 12 + month(exact) - 1
                            - (year(exact) * 12 + month(exact) - 1) % 1
                end as line
            from (
                select value, try_cast(value as timestamp) as exact
                from sqlanon.source_values
                where attribute = 'born'
            ) as exact_values
        ) as lines
    ) as texts
    union all
    select
        4,
        value,
        cast(null as double),
        cast(number as double),
        cast(number as double),
        cast(null as varchar),
        case when not is_end then coalesce('(' || previous_end, '[*') end,
        case when not is_end then coalesce(next_end || ')', '*]') end
    from (
        -- a value that too few have lies between the two nearest values that enough have
        select
            value,
            is_end,
            2 * sum(case when is_end then 1 else 0 end) over (order by value)
                - case when is_end then 1 else 0 end as number,
            max(case when is_end then value end) over (order by value) as previous_end,
            min(case when is_end then value end) over (order by value desc) as next_end
        from (
            select value, persons >= 5 as is_end
            from value_persons
            where attribute_number = 4 and value is not null
        ) as judged_values
    ) as neighbors
    union all
    select 4, null, null, null, null, null, null, null
    from value_persons
    where attribute_number = 4 and value is null
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
