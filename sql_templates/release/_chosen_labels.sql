{#- inputs: attribute str, word int -#}
    -- the labels of {{ attribute | comment }} at the level that was found
    select hierarchy_levels.value, hierarchy_levels.label, value_codes.key_{{ word }} & chosen_node.mask as code
    from sqlanon.hierarchy_levels
    inner join sqlanon.chosen_node
        on chosen_node.attribute = hierarchy_levels.attribute
        and chosen_node.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.attribute = {{ attribute | text }}
