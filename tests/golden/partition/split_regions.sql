-- class_regions: the box of every class: the intervals that contain its rows
-- reads:   class_cells, intervals
-- returns: one row per class with rows, and attribute
--   first_place, last_place   first and last place of the class
with class_places (class, attribute_number, place) as (
    -- one row per class and attribute: one of its places
    select class, 1, min(place_of_the_age)
    from sqlanon.class_cells
    where row_count > 0
    group by class
    union all
    select class, 2, min(place_of_born)
    from sqlanon.class_cells
    where row_count > 0
    group by class
    union all
    select class, 3, min(place_of_town)
    from sqlanon.class_cells
    where row_count > 0
    group by class
    union all
    select class, 4, min(place_of_select)
    from sqlanon.class_cells
    where row_count > 0
    group by class
)
select class_places.class, intervals.attribute_number, intervals.first_place, intervals.last_place
from class_places
inner join sqlanon.intervals
    on intervals.attribute_number = class_places.attribute_number
    and class_places.place between intervals.first_place and intervals.last_place
