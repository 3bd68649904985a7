{#- inputs: hierarchies list[dict name attribute level_count] -#}
-- hierarchy_levels: all hierarchies in one table
-- reads:   every hierarchy
-- returns: one row per attribute, value and level
--   attribute_number  position of the attribute in the plan
--   label          label of the value at the level
--   coarser_label  label of the value at the level above; null at the top
--   label_position position of the label among those with the same coarser label, from 0
-- nulls:   the labels of a missing value are null below the top
with labels (attribute_number, attribute, value, level, label) as (
{% for hierarchy in hierarchies %}
{% set number = loop.index %}
{% set last = loop.last %}
{% for level in range(hierarchy.level_count) %}
    select {{ number }}, {{ hierarchy.attribute | text }}, level_0, {{ level }}, level_{{ level }}
    from sqlanon.{{ hierarchy.name | ident }}{{ " union all" if not (last and loop.last) }}
{% endfor %}
{% endfor %}
),
nested_labels as (
    select
        *,
        lead(label) over (
            partition by attribute_number, value order by level
        ) as coarser_label
    from labels
)
select
    *,
    dense_rank() over (
        partition by attribute_number, level, coarser_label order by label
    ) - 1 as label_position
from nested_labels
