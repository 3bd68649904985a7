-- numeric intervals [low, high), which include low and exclude high; a value that is not a
    -- number gets no label
    select
        value as level_0,
        case
            when exact < 0 then '< 0'
            when exact >= 90 then '>= 90'
            when exact is not null then '['
                || greatest(
                    cast(exact - ((exact - 1.0) % 2.5 + 2.5) % 2.5 as decimal(38, 1)), 0
                ) || ', '
                || least(
                    cast(exact - ((exact - 1.0) % 2.5 + 2.5) % 2.5 + 2.5 as decimal(38, 1)), 90
                ) || ')'
        end as level_1,
        case
            when exact < 0 then '< 0'
            when exact >= 90 then '>= 90'
            when exact is not null then '['
                || greatest(cast(exact - ((exact - 1.0) % 5 + 5) % 5 as decimal(38, 1)), 0) || ', '
                || least(cast(exact - ((exact - 1.0) % 5 + 5) % 5 + 5 as decimal(38, 1)), 90) || ')'
        end as level_2,
        case when exact is not null then '*' end as level_3
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from known_values
    ) as numbers
