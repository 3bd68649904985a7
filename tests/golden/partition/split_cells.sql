-- class_cells: the cells of the classes, which are the combinations of intervals
-- reads:   cells, places, intervals
-- returns: one row per cell
--   class   number of the class, from 1
with place_intervals as (
    -- one row per attribute and place: the first place of the interval that contains it
    select places.attribute_number, places.place, intervals.first_place
    from sqlanon.places
    inner join sqlanon.intervals
        on intervals.attribute_number = places.attribute_number
        and places.place between intervals.first_place and intervals.last_place
)
select
    cast(dense_rank() over (
        order by
            intervals_of_the_age.first_place,
            intervals_of_born.first_place,
            intervals_of_town.first_place,
            intervals_of_select.first_place
    ) as integer) as class,
    cells.place_of_the_age, cells.place_of_born, cells.place_of_town,
    cells.place_of_select, cells.row_count
from sqlanon.cells
inner join place_intervals as intervals_of_the_age
    on intervals_of_the_age.attribute_number = 1
    and intervals_of_the_age.place = cells.place_of_the_age
inner join place_intervals as intervals_of_born
    on intervals_of_born.attribute_number = 2
    and intervals_of_born.place = cells.place_of_born
inner join place_intervals as intervals_of_town
    on intervals_of_town.attribute_number = 3
    and intervals_of_town.place = cells.place_of_town
inner join place_intervals as intervals_of_select
    on intervals_of_select.attribute_number = 4
    and intervals_of_select.place = cells.place_of_select
