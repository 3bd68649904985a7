-- groups of values of the source, which begin at lines of a grid
    -- numeric ranges between cut points; a value that is not a number gets no label
    select
        value as level_0,
        case
            when exact < 20 then '< 20'
            when exact < 50 then '[20, 50)'
            when exact < 60 then '[50, 60)'
            when exact is not null then '>= 60'
        end as level_1,
        case when exact is not null then '*' end as level_2
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from known_values
    ) as numbers
