-- class_labels: what the publication says of the rows of each class
-- reads:   class_regions, value_places, places
-- returns: one row per class
--   class   number of the class
--   class_position   position of the class in the publication, by its labels
--   the "age"   the interval [line, next line) of its grid that holds the box of the class
--   born   the interval [line, next line) of its grid that holds the box of the class
--   tôwn   the set of its values, or a single value
--   select   the set of its values, or a single value
-- nulls:   a label is null if the class has missing values alone, and ends in "or NULL" if it
--          has other values, too
with boxes as (
    -- one row per attribute and box of a class: its first place that is no missing value
    select
        extents.attribute_number,
        extents.first_place,
        extents.last_place,
        case
            when firsts.label is null and extents.first_place < extents.last_place
                then extents.first_place + 1
            else extents.first_place
        end as lowest_place,
        firsts.label is null as holds_null
    from (
        select distinct attribute_number, first_place, last_place
        from sqlanon.class_regions
    ) as extents
    inner join sqlanon.places as firsts
        on firsts.attribute_number = extents.attribute_number
        and firsts.place = extents.first_place
),
box_labels as (
    -- one row per attribute and box: its label
    select
        boxes.attribute_number,
        boxes.first_place,
        boxes.last_place,
        boxes.lowest_place,
        case
            when boxes.lowest_place = boxes.last_place then highest.label
            else lowest.opening || ', ' || highest.closing
        end
            || case
                when boxes.holds_null and boxes.first_place < boxes.last_place then ' or NULL'
                else ''
            end as label
    from boxes
    inner join sqlanon.places as lowest
        on lowest.attribute_number = boxes.attribute_number
        and lowest.place = boxes.lowest_place
    inner join sqlanon.places as highest
        on highest.attribute_number = boxes.attribute_number
        and highest.place = boxes.last_place
    where boxes.attribute_number in (1, 2)
),
members as (
    -- one row per class, attribute and value that its set has
    select
        class_regions.class,
        value_places.attribute_number,
        value_places.place,
        value_places.value
    from sqlanon.class_regions
    inner join sqlanon.value_places
        on value_places.attribute_number = class_regions.attribute_number
        and value_places.place between class_regions.first_place and class_regions.last_place
    where class_regions.attribute_number in (3, 4)
),
labels as (
    -- one row per class and attribute: its label
    select
        class_regions.class,
        class_regions.attribute_number,
        box_labels.label
    from sqlanon.class_regions
    inner join box_labels
        on box_labels.attribute_number = class_regions.attribute_number
        and box_labels.first_place = class_regions.first_place
        and box_labels.last_place = class_regions.last_place
    union all
    select
        class,
        attribute_number,
        case
            when count(*) = 1 then min(value)
            else '{' || string_agg(coalesce(value, 'NULL'), ', ' order by place) || '}'
        end as label
    from members
    group by class, attribute_number
),
labeled_classes as (
    -- one row per class: the label of each attribute in its column
    select
        class,
        max(label) filter (where attribute_number = 1) as "the ""age""",
        max(label) filter (where attribute_number = 2) as born,
        max(label) filter (where attribute_number = 3) as "tôwn",
        max(label) filter (where attribute_number = 4) as "select"
    from labels
    group by class
)
select
    labeled_classes.class,
    dense_rank() over (
        order by
            labeled_classes."the ""age""",
            labeled_classes.born,
            labeled_classes."tôwn",
            labeled_classes."select"
    ) as class_position,
    labeled_classes."the ""age""",
    labeled_classes.born,
    labeled_classes."tôwn",
    labeled_classes."select"
from labeled_classes
