-- numeric ranges between cut points; a value that is not a number gets no label
    select
        value as level_0,
        case
            when exact < 1 then 'none'
            when exact < 5 then 'some'
            when exact is not null then 'all'
        end as level_1,
        case
            when exact < 5 then '-'
            when exact is not null then '+'
        end as level_2,
        case when exact is not null then '*' end as level_3
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from known_values
    ) as numbers
