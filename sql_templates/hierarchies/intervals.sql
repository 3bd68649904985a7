{#- inputs: widths list[Decimal], lowest Decimal | None, highest Decimal | None, start int, steps list[int], scale int, unit Decimal, values str -#}
    -- numeric intervals [low, high): low is in, high is out; a value that is no number gets no label
    select
        value as level_0,
{% for step in steps %}
        case
{% if lowest is not none %}
            when exact < {{ lowest | number }} then '< {{ lowest | number }}'
{% endif %}
{% if highest is not none %}
            when exact >= {{ highest | number }} then '>= {{ highest | number }}'
{% endif %}
            when exact is not null then
                '[' || cast(({{ start }} + interval_{{ loop.index }} * {{ step }}) * {{ unit | number }} as varchar)
                || ', ' || cast(({{ start }} + (interval_{{ loop.index }} + 1) * {{ step }}) * {{ unit | number }} as varchar) || ')'
        end as level_{{ loop.index }},
{% endfor %}
        case when exact is not null then '*' end as level_{{ steps | length + 1 }}
    from (
        select
            value,
            exact,
{% for step in steps %}
            -- number of the interval of width {{ widths[loop.index0] | number }}
            cast(floor((exact * {{ scale }} - {{ start }}) / {{ step }}) as bigint) as interval_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
        from (
            select value, try_cast(value as decimal(28, 9)) as exact
            from {{ values }}
        ) as numbers
    ) as numbered
