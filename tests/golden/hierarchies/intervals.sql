    -- numeric intervals [low, high), which include low and exclude high; a value that is not a
    -- number gets no label
    select
        value as level_0,
        case
            when exact < 0 then '< 0'
            when exact >= 90 then '>= 90'
            when exact is not null then '['
                || greatest(low_1, 0) || ', '
                || least(high_1, 90) || ')'
        end as level_1,
        case
            when exact < 0 then '< 0'
            when exact >= 90 then '>= 90'
            when exact is not null then '['
                || greatest(low_2, 0) || ', '
                || least(high_2, 90) || ')'
        end as level_2,
        case when exact is not null then '*' end as level_3
    from (
        select
            value,
            exact,
            cast(exact - remainder_1 as decimal(38, 1)) as low_1,
            cast(
                exact - remainder_1 + 2.5 as decimal(38, 1)
            ) as high_1,
            cast(exact - remainder_2 as decimal(38, 1)) as low_2,
            cast(
                exact - remainder_2 + 5 as decimal(38, 1)
            ) as high_2
        from (
            select
                value,
                exact,
                -- distance of a number from the start of its interval of width 2.5
                ((exact - 1.0) % 2.5 + 2.5) % 2.5 as remainder_1,
                -- distance of a number from the start of its interval of width 5
                ((exact - 1.0) % 5 + 5) % 5 as remainder_2
            from (
                select value, try_cast(value as decimal(37, 18)) as exact
                from known_values
            ) as numbers
        ) as remainders
    ) as limits
