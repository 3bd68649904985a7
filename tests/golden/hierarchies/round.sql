-- decimals rounded to fewer digits at each level; each level is rounded from the level below,
    -- so that the levels nest; a value that is not a number gets no label
    select
        value as level_0,
        cast(cast(round(exact, 1) as decimal(38, 1)) as varchar) as level_1,
        cast(cast(round(round(exact, 1), -1) as decimal(38, 0)) as varchar) as level_2,
        case when exact is not null then '*' end as level_3
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from known_values
    ) as numbers
