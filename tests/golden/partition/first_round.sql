-- regions_of_round_0: the whole table as one region
-- reads:   cells
-- returns: one row per cell
--   region       number of the region within its round; parent: number of the region that was cut
--   attribute_number, first_place, last_place   the cut: its attribute, and the places on this side
select
    0 as round,
    1 as region,
    0 as parent,
    0 as attribute_number,
    0 as first_place,
    2147483647 as last_place,
    place_of_the_age, place_of_born, place_of_town, place_of_select,
    row_count
from sqlanon.cells
