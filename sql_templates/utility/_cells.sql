{#- cells (of suppressed rows only, or of all; of the relation `classes`): one row per node, class and attribute -#}
with class_codes as (
    -- the code of the class's label; known before the values are looked up by it
    select
        {{ classes }}.node,
{% for word in range(1, words + 1) %}
        {{ classes }}.class_{{ word }},
{% endfor %}
        node_levels.attribute,
        node_levels.level,
        {{ classes }}.class_size,
        {{ classes }}.published,
{% if words == 1 %}
        level_codes.mask & {{ classes }}.class_1 as code
{% else %}
        level_codes.mask
            & case level_codes.word
{% for word in range(1, words + 1) %}
                when {{ word }} then {{ classes }}.class_{{ word }}
{% endfor %}
            end as code
{% endif %}
    from {{ classes }}
    inner join node_levels on node_levels.node = {{ classes }}.node
    inner join sqlanon.level_codes
        on level_codes.attribute = node_levels.attribute
        and level_codes.level = node_levels.level
{% if suppressed_only %}
    where not {{ classes }}.published
{% endif %}
)
select class_codes.*, generalized_values.leaf_count, generalized_values.data_leaf_count
from class_codes
inner join sqlanon.generalized_values
    on generalized_values.attribute = class_codes.attribute
    and generalized_values.level = class_codes.level
    and generalized_values.code = class_codes.code
