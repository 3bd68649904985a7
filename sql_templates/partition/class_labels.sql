{#- inputs: trees list[int], sets list[int], labels str -#}
-- class_labels: the published labels of each class
-- reads:   class_regions, value_places{{ ", label_places" if trees }}{{ ", class_cells" if sets and labels == "tight" }}
-- returns: one row per class and attribute
--   label    {{ "the lowest common ancestor; " if trees and not sets }}{{ "the set of values; " if sets }}[lowest, highest], or a single value
--   lowest_place, highest_place   the ends of the label without missing values
-- nulls:   the label is null if the class has missing values alone, and ends in "or NULL" if it
--          has other values, too
with boxes as (
    select
        extents.attribute_number,
        extents.first_place,
        extents.last_place,
        case
            when firsts.value is null and extents.first_place < extents.last_place
                then extents.first_place + 1
            else extents.first_place
        end as lowest_place,
        firsts.value is null as holds_null
    from (
        select distinct attribute_number, first_place, last_place
        from sqlanon.class_regions
    ) as extents
    inner join sqlanon.value_places as firsts
        on firsts.attribute_number = extents.attribute_number
        and firsts.place = extents.first_place
),
box_labels as (
    select
        boxes.attribute_number,
        boxes.first_place,
        boxes.last_place,
        case
            when boxes.lowest_place = boxes.last_place then highest.value
            else '[' || lowest.value || ', ' || highest.value || ']'
        end
            || case
                when boxes.holds_null and boxes.first_place < boxes.last_place then ' or NULL'
                else ''
            end as label
    from boxes
    inner join sqlanon.value_places as lowest
        on lowest.attribute_number = boxes.attribute_number
        and lowest.place = boxes.lowest_place
    inner join sqlanon.value_places as highest
        on highest.attribute_number = boxes.attribute_number
        and highest.place = boxes.last_place
{% if trees + sets %}
    where boxes.attribute_number not in ({{ (trees + sets) | unique | join(", ") }})
{% endif %}
{% set ancestors = trees | reject("in", sets) | list %}
{% if ancestors %}
    union all
    select attribute_number, first_place, last_place, label
    from (
        -- the lowest label that covers the whole region
        select
            boxes.attribute_number,
            boxes.first_place,
            boxes.last_place,
            label_places.label,
            row_number() over (
                partition by boxes.attribute_number, boxes.first_place, boxes.last_place
                order by label_places.level
            ) as preference
        from boxes
        inner join sqlanon.label_places as label_places
            on label_places.attribute_number = boxes.attribute_number
            and label_places.place = boxes.first_place
            and label_places.last_place >= boxes.last_place
        where boxes.attribute_number in ({{ ancestors | join(", ") }})
    ) as ancestors
    where preference = 1
{% endif %}
){% if sets %}
,
members as (
{% if labels == "region" %}
    select
        class_regions.class,
        value_places.attribute_number,
        value_places.place,
        value_places.value
    from sqlanon.class_regions as class_regions
    inner join sqlanon.value_places as value_places
        on value_places.attribute_number = class_regions.attribute_number
        and value_places.place between class_regions.first_place and class_regions.last_place
    where class_regions.attribute_number in ({{ sets | join(", ") }})
{% else %}
{% for number in sets %}
    {{ "union all " if not loop.first }}select distinct
        class_cells.class,
        {{ number }} as attribute_number,
        value_places.place,
        value_places.value
    from sqlanon.class_cells as class_cells
    inner join sqlanon.value_places as value_places
        on value_places.attribute_number = {{ number }}
        and value_places.place = class_cells.place_{{ number }}
    where class_cells.row_count > 0
{% endfor %}
{% endif %}
),
set_labels as (
    select
        class,
        attribute_number,
        case
            when count(*) = 1 then min(value)
            else '{' || string_agg(coalesce(value, 'NULL'), ', ' order by place) || '}'
        end as label
    from members
    group by class, attribute_number
){% endif %}

select
    class_regions.class,
    class_regions.attribute_number,
    box_labels.label,
    boxes.lowest_place,
    boxes.last_place as highest_place
from sqlanon.class_regions as class_regions
inner join boxes
    on boxes.attribute_number = class_regions.attribute_number
    and boxes.first_place = class_regions.first_place
    and boxes.last_place = class_regions.last_place
inner join box_labels
    on box_labels.attribute_number = class_regions.attribute_number
    and box_labels.first_place = class_regions.first_place
    and box_labels.last_place = class_regions.last_place
{% if sets %}
union all
select class, attribute_number, label, null, null
from set_labels
{% endif %}
