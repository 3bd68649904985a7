-- one more character replaced by '*' at every level, from the left
    select
        value as level_0,
        repeat('*', least(1, length(value))) || substring(value, 2) as level_1,
        repeat('*', least(2, length(value))) || substring(value, 3) as level_2,
        case when length(value) <= 3 then '*' end as level_3
    from known_values
