-- class_regions: the region of every class: the intervals that contain its rows
-- reads:   class_cells, intervals
-- returns: one row per class with rows, and attribute
--   first_place, last_place   first and last place of the class
with class_places (class, attribute_number, place) as (
    select class, 1, min(place_1)
    from sqlanon.class_cells
    where row_count > 0
    group by class
    union all select class, 2, min(place_2)
    from sqlanon.class_cells
    where row_count > 0
    group by class
    union all select class, 3, min(place_3)
    from sqlanon.class_cells
    where row_count > 0
    group by class
    union all select class, 4, min(place_4)
    from sqlanon.class_cells
    where row_count > 0
    group by class
)
select class_places.class, intervals.attribute_number, intervals.first_place, intervals.last_place
from class_places
inner join sqlanon.intervals as intervals
    on intervals.attribute_number = class_places.attribute_number
    and class_places.place between intervals.first_place and intervals.last_place
