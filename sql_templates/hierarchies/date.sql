{#- inputs: rule dict[periods list[str]], values str #}
{% import "hierarchies/_date.sql" as dates %}
    -- dates in periods of increasing length; a value that is not a date gets no label
    select
        value as level_0,
{% for period in rule.periods %}
        {{ dates.label(rule, loop.index, "exact") | indent(8) }} as level_{{ loop.index }},
{% endfor %}
        case when exact is not null then '*' end as level_{{ rule.periods | length + 1 }}
    from (
        select value, try_cast(value as timestamp) as exact
        from {{ values }}
    ) as dates
