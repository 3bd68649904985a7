{#- inputs: rule dict[ranges list[list[tuple[Decimal | None, str]]]], values str #}
{% import "hierarchies/_cut_points.sql" as cut_points %}
    -- numeric ranges between cut points; a value that is not a number gets no label
    select
        value as level_0,
{% for level in rule.ranges %}
        {{ cut_points.label(rule, loop.index, "exact") | indent(8) }} as level_{{ loop.index }},
{% endfor %}
        case when exact is not null then '*' end as level_{{ rule.ranges | length + 1 }}
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from {{ values }}
    ) as numbers
