-- class_regions: the smallest box that contains the rows of every class
-- reads:   class_cells
-- returns: one row per class with rows, and attribute
--   first_place, last_place   first and last place of the class
select
    class,
    1 as attribute_number,
    min(place_of_the_age) as first_place,
    max(place_of_the_age) as last_place
from sqlanon.class_cells
where row_count > 0
group by class
union all
select
    class,
    2 as attribute_number,
    min(place_of_born) as first_place,
    max(place_of_born) as last_place
from sqlanon.class_cells
where row_count > 0
group by class
union all
select
    class,
    3 as attribute_number,
    min(place_of_town) as first_place,
    max(place_of_town) as last_place
from sqlanon.class_cells
where row_count > 0
group by class
union all
select
    class,
    4 as attribute_number,
    min(place_of_select) as first_place,
    max(place_of_select) as last_place
from sqlanon.class_cells
where row_count > 0
group by class
