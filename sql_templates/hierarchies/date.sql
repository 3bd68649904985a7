{#- inputs: periods list[str], values str #}
    -- dates in periods of increasing length; a value that is not a date gets no label
    select
        value as level_0,
{% for period in periods %}
{% if period == "day" %}
        strftime(exact, '%Y-%m-%d') as level_{{ loop.index }},
{% elif period == "week" %}
        strftime(exact, '%G-W%V') as level_{{ loop.index }},
{% elif period == "month" %}
        strftime(exact, '%Y-%m') as level_{{ loop.index }},
{% elif period == "quarter" %}
        strftime(exact, '%Y') || '-Q' || cast(quarter(exact) as varchar) as level_{{ loop.index }},
{% elif period == "year" %}
        strftime(exact, '%Y') as level_{{ loop.index }},
{% elif period == "decade" %}
        cast((year(exact) // 10) * 10 as varchar) || 's' as level_{{ loop.index }},
{% elif period == "century" %}
        cast((year(exact) // 100) * 100 as varchar)
            || '-'
            || cast((year(exact) // 100) * 100 + 99 as varchar) as level_{{ loop.index }},
{% endif %}
{% endfor %}
        case when exact is not null then '*' end as level_{{ periods | length + 1 }}
    from (
        select value, try_cast(value as timestamp) as exact
        from {{ values }}
    ) as dates
