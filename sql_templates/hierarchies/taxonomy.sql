{#- inputs: rule dict[taxonomy str, levels int], selected list[tuple[int, str]] level name #}
{% set top = rule.levels - 2 %}
    -- from a taxonomy: a text file, one line `parent: child, child` per inner node
    with lines as (
        select trim(line, ' ' || chr(9)) as line
        from read_csv(
            {{ rule.taxonomy | file }},
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
    select {% for level, name in selected %}{{ "to_level_" ~ top ~ ".parent" if level > top else "to_level_" ~ level ~ ".child" }} as {{ name }}{{ ", " if not loop.last }}{% endfor %}

    from steps as to_level_{{ top }}
{% for level in range(top) | reverse %}
    inner join steps as to_level_{{ level }}
        on to_level_{{ level }}.parent = to_level_{{ level + 1 }}.child
{% endfor %}
    where to_level_{{ top }}.parent not in (select child from steps)
