-- dates in periods of increasing length; a value that is not a date gets no label
    select
        value as level_0,
        strftime(exact, '%Y-%m') as level_1,
        strftime(exact, '%Y')
            || '-Q' || cast(quarter(exact) as varchar) as level_2,
        cast(year(exact) // 10 * 10 as varchar) || 's' as level_3,
        case when exact is not null then '*' end as level_4
    from (
        select value, try_cast(value as timestamp) as exact
        from known_values
    ) as dates
