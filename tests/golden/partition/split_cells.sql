-- class_cells: the cells of the classes, which are the combinations of intervals
-- reads:   cells, value_places, intervals
-- returns: one row per cell
--   class   number of the class, from 1
with place_intervals as (
    select value_places.attribute_number, value_places.place, intervals.first_place
    from sqlanon.value_places as value_places
    inner join sqlanon.intervals as intervals
        on intervals.attribute_number = value_places.attribute_number
        and value_places.place between intervals.first_place and intervals.last_place
)
select
    cast(dense_rank() over (
        order by
            intervals_1.first_place,
            intervals_2.first_place,
            intervals_3.first_place,
            intervals_4.first_place
    ) as integer) as class,
    cells.place_1, cells.place_2, cells.place_3, cells.place_4,
    cells.row_count
from sqlanon.cells as cells
inner join place_intervals as intervals_1
    on intervals_1.attribute_number = 1
    and intervals_1.place = cells.place_1
inner join place_intervals as intervals_2
    on intervals_2.attribute_number = 2
    and intervals_2.place = cells.place_2
inner join place_intervals as intervals_3
    on intervals_3.attribute_number = 3
    and intervals_3.place = cells.place_3
inner join place_intervals as intervals_4
    on intervals_4.attribute_number = 4
    and intervals_4.place = cells.place_4
