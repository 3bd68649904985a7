{#- inputs: rule dict[query str, columns int], selected list[tuple[int, str]] level name #}
    -- from a query: the first column is the value, each further column a coarser level
    select {% for level, name in selected %}cast(level_{{ level }} as varchar) as {{ name }}{{ ", " if not loop.last }}{% endfor %}

    from (
{{ rule.query }}
    ) as hierarchy_query ({% for level in range(rule.columns) %}level_{{ level }}{{ ", " if not loop.last }}{% endfor %})
