-- rare_values: of numbers and dates, the values that fewer than 5 rows have, so that
--   no range may end at them
-- reads:   source_values
-- returns: one row per attribute with such values
--   rare_persons   rows who have them, by value
--   low, high      quartiles of these values; lowest, highest: the extremes   [position]
with value_persons (attribute_number, value, persons) as (
    -- one row per attribute and value: how many rows have it
    select
        1,
        value,
        row_count
    from sqlanon.source_values
    where attribute = 'the "age"'
    union all
    select
        2,
        value,
        row_count
    from sqlanon.source_values
    where attribute = 'born'
),
positions as (
    -- one row per attribute and such a value: its position
    select
        attribute_number,
        persons,
        try_cast(value as double) as position
    from value_persons
    where attribute_number = 1 and persons < 5
        and value is not null
    union all
    select
        attribute_number,
        persons,
        epoch(try_cast(value as timestamp)) / 86400 as position
    from value_persons
    where attribute_number = 2 and persons < 5
        and value is not null
)
select
    attribute_number,
    cast(sum(persons) as bigint) as rare_persons,
    min(position) filter (where 4 * rank >= total) as low,
    min(position) filter (where 4 * rank >= 3 * total) as high,
    min(position) as lowest,
    max(position) as highest
from (
    select
        attribute_number,
        persons,
        position,
        row_number() over (partition by attribute_number order by position) as rank,
        count(*) over (partition by attribute_number) as total
    from positions
) as ranked_positions
group by attribute_number
order by attribute_number
