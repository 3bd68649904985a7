{#- inputs: levels list[str] -#}
-- average_generalization: levels that values were raised, summed over rows and attributes (AG)
{% if levels %}
-- reads:   class_cells, bucket_nodes
{% else %}
-- reads:   decided_classes, class_regions, label_places
{% endif %}
-- returns: one row
--   cost   level of each cell's label, summed over rows and attributes   [levels]
{% if levels %}
select
    cast(
        sum(class_cells.row_count * ({% for level in levels %}{{ " + " if not loop.first }}bucket_nodes.{{ level | ident }}{% endfor %})) as bigint
    ) as cost
from sqlanon.class_cells
inner join sqlanon.bucket_nodes on bucket_nodes.bucket = class_cells.class
{% else %}
with label_levels as (
    -- one row per class and attribute: the lowest level with a label that covers the box
    select class_regions.class, class_regions.attribute_number, min(label_places.level) as level
    from sqlanon.class_regions
    inner join sqlanon.label_places
        on label_places.attribute_number = class_regions.attribute_number
        and label_places.place = class_regions.first_place
        and label_places.last_place >= class_regions.last_place
    group by class_regions.class, class_regions.attribute_number
)
select cast(sum(decided_classes.class_size * label_levels.level) as bigint) as cost
from label_levels
inner join decided_classes on decided_classes.class_1 = label_levels.class
{% endif %}
