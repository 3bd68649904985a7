-- class_regions: the smallest region that contains the rows of every class
-- reads:   class_cells
-- returns: one row per class with rows, and attribute
--   first_place, last_place   first and last place of the class
select class, 1 as attribute_number, min(place_1) as first_place, max(place_1) as last_place
from sqlanon.class_cells
where row_count > 0
group by class
union all
select class, 2 as attribute_number, min(place_2) as first_place, max(place_2) as last_place
from sqlanon.class_cells
where row_count > 0
group by class
union all
select class, 3 as attribute_number, min(place_3) as first_place, max(place_3) as last_place
from sqlanon.class_cells
where row_count > 0
group by class
union all
select class, 4 as attribute_number, min(place_4) as first_place, max(place_4) as last_place
from sqlanon.class_cells
where row_count > 0
group by class
