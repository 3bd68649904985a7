-- class_labels: the published labels of each class
-- reads:   class_regions, value_places, label_places, class_cells
-- returns: one row per class and attribute
--   label    the set of values; [lowest, highest], or a single value
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
    where boxes.attribute_number not in (3, 4)
),
members as (
    select distinct
        class_cells.class,
        3 as attribute_number,
        value_places.place,
        value_places.value
    from sqlanon.class_cells as class_cells
    inner join sqlanon.value_places as value_places
        on value_places.attribute_number = 3
        and value_places.place = class_cells.place_3
    where class_cells.row_count > 0
    union all select distinct
        class_cells.class,
        4 as attribute_number,
        value_places.place,
        value_places.value
    from sqlanon.class_cells as class_cells
    inner join sqlanon.value_places as value_places
        on value_places.attribute_number = 4
        and value_places.place = class_cells.place_4
    where class_cells.row_count > 0
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
)
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
union all
select class, attribute_number, label, null, null
from set_labels
