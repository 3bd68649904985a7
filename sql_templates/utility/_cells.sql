{#- cells (of suppressed rows only, or of all): one row per node, class and attribute -#}
select
    decided_classes.node,
{% for word in range(1, words + 1) %}
    decided_classes.class_{{ word }},
{% endfor %}
    node_levels.attribute,
    node_levels.level,
    decided_classes.class_size,
    decided_classes.published,
    generalized_values.code,
    generalized_values.leaf_count,
    generalized_values.data_leaf_count
from decided_classes
inner join node_levels on node_levels.node = decided_classes.node
inner join sqlanon.level_codes
    on level_codes.attribute = node_levels.attribute
    and level_codes.level = node_levels.level
inner join sqlanon.generalized_values
    on generalized_values.attribute = level_codes.attribute
    and generalized_values.level = level_codes.level
{% if words == 1 %}
    and generalized_values.code = level_codes.mask & decided_classes.class_1
{% else %}
    and generalized_values.code = level_codes.mask
        & case level_codes.word
{% for word in range(1, words + 1) %}
            when {{ word }} then decided_classes.class_{{ word }}
{% endfor %}
        end
{% endif %}
{% if suppressed_only %}
where not decided_classes.published
{% endif %}
