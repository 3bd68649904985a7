{#- inputs: widths list[Decimal], lowest Decimal | None, highest Decimal | None, start int, unit Decimal, values str #}
{% set decimals = [
    (unit | number).partition(".")[2] | length,
    ((lowest or unit) | number).partition(".")[2] | length,
    ((highest or unit) | number).partition(".")[2] | length,
] | max %}
    -- numeric intervals [low, high), which include low and exclude high; a value that is not a
    -- number gets no label
    select
        value as level_0,
{% for width in widths %}
{% set low, high = "low_" ~ loop.index, "high_" ~ loop.index %}
        case
{% if lowest is not none %}
            when exact < {{ lowest | number }} then '< {{ lowest | number }}'
{% endif %}
{% if highest is not none %}
            when exact >= {{ highest | number }} then '>= {{ highest | number }}'
{% endif %}
            when exact is not null then '['
{% if lowest is not none %}
                || greatest({{ low }}, {{ lowest | number }}) || ', '
{% else %}
                || {{ low }} || ', '
{% endif %}
{% if highest is not none %}
                || least({{ high }}, {{ highest | number }}) || ')'
{% else %}
                || {{ high }} || ')'
{% endif %}
        end as level_{{ loop.index }},
{% endfor %}
        case when exact is not null then '*' end as level_{{ widths | length + 1 }}
    from (
        select
            value,
            exact,
{% for width in widths %}
            cast(exact - remainder_{{ loop.index }} as decimal(38, {{ decimals }})) as low_{{ loop.index }},
            cast(
                exact - remainder_{{ loop.index }} + {{ width | number }} as decimal(38, {{ decimals }})
            ) as high_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
        from (
            select
                value,
                exact,
{% for width in widths %}
                -- distance of a number from the start of its interval of width {{ width | number }}
                ((exact - {{ (start * unit) | number }}) % {{ width | number }} + {{ width | number }}) % {{ width | number }} as remainder_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
            from (
                select value, try_cast(value as decimal(37, 18)) as exact
                from {{ values }}
            ) as numbers
        ) as remainders
    ) as limits
