    -- the value, then '*'
    select
        value as level_0,
        '*' as level_1
    from known_values
