{#- inputs: rule dict[digits list[int]], values str #}
{% import "hierarchies/_round.sql" as rounded %}
    -- decimals rounded to fewer digits at each level; each level is rounded from the level below,
    -- so that the levels nest; a value that is not a number gets no label
    select
        value as level_0,
{% for places in rule.digits %}
        {{ rounded.label(rule, loop.index, "exact") }} as level_{{ loop.index }},
{% endfor %}
        case when exact is not null then '*' end as level_{{ rule.digits | length + 1 }}
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from {{ values }}
    ) as numbers
