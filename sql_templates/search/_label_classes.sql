{#- CTE `label_classes`: published and suppressed rows by their labels, where histories are classes -#}
label_classes as (
    -- rows with equal labels may be published of some persons, and suppressed of others
    select
        nodes.node,
{% for word in range(1, words + 1) %}
        frequency_set.key_{{ word }} & nodes.mask_{{ word }} as class_{{ word }},
{% endfor %}
        decided_classes.published,
        cast(sum(frequency_set.row_count) as bigint) as class_size
    from nodes
    cross join {{ "rolled_up_set" if roll_up else "sqlanon." ~ relation }} as frequency_set
    inner join histories on histories.node = nodes.node and histories.person = frequency_set.person
    inner join decided_classes
{% for part in class_key %}
        {{ "on" if loop.first else "and" }} decided_classes.{{ part }} = histories.{{ part }}
{% endfor %}
    group by
        nodes.node,
{% for word in range(1, words + 1) %}
        frequency_set.key_{{ word }} & nodes.mask_{{ word }},
{% endfor %}
        decided_classes.published
),
