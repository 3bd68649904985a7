-- tried_grids: what grids do for the values that fewer than 5 persons have
-- reads:   source_combinations
-- returns: one row per candidate
--   rare_values    number of these values; values_on_lines: of those that are lines themselves
--   rare_persons   persons who have them, by value; hidden_persons: of those whose line is the
--                  line of 5 or more
with value_persons (attribute_number, value, persons) as (
    -- one row per attribute and value: how many persons have it
    select
        1,
        cast("the ""age""" as varchar),
        count(distinct person)
    from sqlanon.source_combinations
    group by cast("the ""age""" as varchar)
    union all
    select
        2,
        cast(born as varchar),
        count(distinct person)
    from sqlanon.source_combinations
    group by cast(born as varchar)
),
lines (candidate, persons, line, is_line) as (
    -- one row per candidate and value: the line of the grid at or below it
    select
        1,
        persons,
        cast(cast(line as decimal(38, 1)) as varchar),
        line = exact
    from (
        select
            persons,
            exact,
            case
                when exact is not null
                    then exact - ((exact - 1) % 2.5 + 2.5) % 2.5
            end as line
        from (
            select persons, try_cast(value as decimal(37, 18)) as exact
            from value_persons
            where attribute_number = 1 and value is not null
        ) as exact_values
    ) as lines
    union all
    select
        2,
        persons,
        substring(cast(10000 + line // 12 as varchar), 2)
            || '-' || substring(cast(101 + line % 12 as varchar), 2),
        epoch(cast(substring(substring(cast(10000 + line // 12 as varchar), 2)
            || '-' || substring(cast(101 + line % 12 as varchar), 2) || '-01-01', 1,
            10) as timestamp)) / 86400 = epoch(exact) / 86400
    from (
        select
            persons,
            exact,
            case
                when exact is not null and year(exact) between 0 and 8799
                    then year(exact) * 12 + month(exact) - 1
                        - (year(exact) * 12 + month(exact) - 1) % 1
            end as line
        from (
            select persons, try_cast(value as timestamp) as exact
            from value_persons
            where attribute_number = 2 and value is not null
        ) as exact_values
    ) as lines
),
cells as (
    -- the same rows: how many have the line
    select *, sum(persons) over (partition by candidate, line) as line_persons
    from lines
)
select
    candidate,
    count(*) as rare_values,
    count(*) filter (where is_line) as values_on_lines,
    cast(sum(persons) as bigint) as rare_persons,
    coalesce(
        cast(sum(persons) filter (where line_persons >= 5) as bigint), 0
    ) as hidden_persons
from cells
where persons < 5
group by candidate
order by candidate
