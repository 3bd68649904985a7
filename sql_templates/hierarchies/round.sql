{#- inputs: digits list[int], values str #}
    -- decimals rounded to fewer digits at each level; each level is rounded from the level below,
    -- so that the levels nest; a value that is not a number gets no label
    select
        value as level_0,
{% for places in digits %}
        cast(cast(
            {{ "" }}{% for earlier in digits[:loop.index] | reverse %}round({% endfor %}exact{% for earlier in digits[:loop.index] %}, {{ earlier }}){% endfor %}

            as decimal(38, {{ [places, 0] | max }})) as varchar) as level_{{ loop.index }},
{% endfor %}
        case when exact is not null then '*' end as level_{{ digits | length + 1 }}
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from {{ values }}
    ) as numbers
