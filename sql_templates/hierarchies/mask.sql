{#- inputs: side str, characters int, values str #}
    -- one more character replaced by '*' at every level, from the {{ side }}
    select
        value as level_0,
{% for masked in range(1, characters) %}
{% if side == "right" %}
        substring(value, 1, greatest(length(value) - {{ masked }}, 0))
        || repeat('*', least({{ masked }}, length(value))) as level_{{ masked }},
{% else %}
        repeat('*', least({{ masked }}, length(value)))
        || substring(value, {{ masked + 1 }}) as level_{{ masked }},
{% endif %}
{% endfor %}
        case when length(value) <= {{ characters }} then '*' end as level_{{ characters }}
    from {{ values }}
