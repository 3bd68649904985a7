{#- inputs: rule dict[widths list[Decimal], lowest Decimal | None, highest Decimal | None, start int, unit Decimal], values str #}
{% import "hierarchies/_intervals.sql" as intervals %}
    -- numeric intervals [low, high), which include low and exclude high; a value that is not a
    -- number gets no label
    select
        value as level_0,
{% for width in rule.widths %}
        {{ intervals.label(rule, loop.index, "exact") | indent(8) }} as level_{{ loop.index }},
{% endfor %}
        case when exact is not null then '*' end as level_{{ rule.widths | length + 1 }}
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from {{ values }}
    ) as numbers
