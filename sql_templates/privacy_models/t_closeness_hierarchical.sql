{#- inputs: classes, class_values, table_values, value_levels, class_key, attribute str, t Decimal, promise, source -#}
{% import "_keys.sql" as keys %}
-- t_closeness, hierarchical distance: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ class_values }}, {{ table_values }}, {{ value_levels }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   distance    sum over inner nodes of height / tree height * the smaller of what their children
--               have too much and too little, as shares of class and table   [0 to 1]
--   satisfied   distance <= {{ t | number }}, to a tolerance of 1e-9, never null
-- nulls:   a missing value is a value of its own
with table_sizes as (
    select cast(sum(row_count) as double) as table_size
    from {{ table_values }} as table_values
),
tree_heights as (
    select cast(max(level) as double) as tree_height
    from {{ value_levels }} as value_levels
),
table_labels as (
    select value_levels.level, value_levels.label, sum(table_values.row_count) as row_count
    from {{ table_values }} as table_values
    inner join {{ value_levels }} as value_levels on value_levels.value = table_values.value
    group by value_levels.level, value_levels.label
),
class_labels as (
    -- labels that occur in the class, with what they have more (or less) than in the table
    select
{{ keys.select("classes", class_key) | indent(4, first=true) -}}
{{ "        " }}classes.class_size,
        value_levels.level,
        value_levels.label,
        value_levels.coarser_label,
        cast(sum(class_values.value_count) as double) / classes.class_size
            - min(table_labels.row_count) / min(table_sizes.table_size) as extra_share
    from {{ classes }} as classes
    inner join {{ class_values }} as class_values
{{ keys.join("class_values", "classes", class_key) | indent(4, first=true) -}}
{{ "    " }}inner join {{ value_levels }} as value_levels on value_levels.value = class_values.value
    inner join table_labels
        on table_labels.level = value_levels.level
        and table_labels.label is not distinct from value_levels.label
    cross join table_sizes
    group by
        {{ keys.list("classes", class_key) | trim }},
        classes.class_size,
        value_levels.level,
        value_levels.label,
        value_levels.coarser_label
),
surpluses as (
    -- what the children of a label have too much; absent children have too little
    select
{{ keys.select("class_labels", class_key) | indent(4, first=true) -}}
{{ "        " }}class_labels.level + 1 as level,
        class_labels.coarser_label as label,
        sum(greatest(class_labels.extra_share, 0)) as surplus
    from class_labels
    group by {{ keys.list("class_labels", class_key) | trim }}, class_labels.level, class_labels.coarser_label
),
class_distances as (
    select
{{ keys.select("class_labels", class_key) | indent(4, first=true) -}}
{{ "        " }}class_labels.class_size,
        sum(
            case when class_labels.level > 0
                then class_labels.level / tree_heights.tree_height
                    * least(surpluses.surplus, surpluses.surplus - class_labels.extra_share)
                else 0
            end
        ) as distance
    from class_labels
    cross join tree_heights
    left join surpluses
{{ keys.join("surpluses", "class_labels", class_key) | indent(4, first=true) -}}
{{ "        " }}and surpluses.level = class_labels.level
        and surpluses.label is not distinct from class_labels.label
    group by {{ keys.list("class_labels", class_key) | trim }}, class_labels.class_size
)
select
{{ keys.select("class_distances", class_key) -}}
{{ "    " }}class_distances.class_size,
    class_distances.distance,
    class_distances.distance <= {{ t | number }} + 0.000000001 as satisfied
from class_distances
