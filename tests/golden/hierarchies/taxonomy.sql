-- from a taxonomy: a text file, one line `parent: child, child` per inner node
    with lines as (
        select trim(line, ' ' || chr(9)) as line
        from read_csv(
            'it''s a taxonomy.txt',
            hive_partitioning = false,
            delim = '',
            quote = '',
            escape = '',
            header = false,
            auto_detect = false,
            columns = {'line': 'varchar'}
        )
    ),
    children as (
        select
            trim(split_part(line, ':', 1), ' ' || chr(9)) as parent,
            trim(
                unnest(string_split(substring(line, strpos(line, ':') + 1), ',')), ' ' || chr(9)
            ) as child
        from lines
        where line <> '' and not starts_with(line, '#')
    ),
    -- a leaf is also its own child, so that all branches become as long as the longest
    steps as (
        select parent, child
        from children
        union all
        select child as parent, child
        from children
        where child not in (select parent from children)
    )
    select
        to_level_0.child as level_0, to_level_1.child as level_1, to_level_2.child as level_2,
        to_level_2.parent as level_3
    from steps as to_level_2
    inner join steps as to_level_1
        on to_level_1.parent = to_level_2.child
    inner join steps as to_level_0
        on to_level_0.parent = to_level_1.child
    where to_level_2.parent not in (select child from steps)
