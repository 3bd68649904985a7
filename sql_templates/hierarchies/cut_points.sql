{#- inputs: ranges list[list[tuple[Decimal | None, str]]], values str #}
    -- numeric ranges between cut points; a value that is not a number gets no label
    select
        value as level_0,
{% for level in ranges %}
        case
{% for upper, label in level %}
{% if upper is not none %}
            when exact < {{ upper | number }} then {{ label | text }}
{% else %}
            when exact is not null then {{ label | text }}
{% endif %}
{% endfor %}
        end as level_{{ loop.index }},
{% endfor %}
        case when exact is not null then '*' end as level_{{ ranges | length + 1 }}
    from (
        select value, try_cast(value as decimal(37, 18)) as exact
        from {{ values }}
    ) as numbers
