{#- inputs: rule dict[side str, characters int], values str #}
{% import "hierarchies/_mask.sql" as masks %}
    -- one more character replaced by '*' at every level, from the {{ rule.side }}
    select
        value as level_0,
{% for masked in range(1, rule.characters) %}
        {{ masks.label(rule, masked, "value") | indent(8) }} as level_{{ masked }},
{% endfor %}
        case when length(value) <= {{ rule.characters }} then '*' end as level_{{ rule.characters }}
    from {{ values }}
