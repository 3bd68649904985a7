-- scales: the number of rows at each place; methods that cut whole attributes read this
-- reads:   cells, places
-- returns: one row per attribute and place that the table or the population has
--   attribute_number, place, position, row_count   [rows], place_count, position_range
with place_counts (attribute_number, place, row_count) as (
    select 1, place_of_the_age, cast(sum(row_count) as bigint)
    from sqlanon.cells
    group by place_of_the_age
    union all
    select 2, place_of_born, cast(sum(row_count) as bigint)
    from sqlanon.cells
    group by place_of_born
    union all
    select 3, place_of_town, cast(sum(row_count) as bigint)
    from sqlanon.cells
    group by place_of_town
    union all
    select 4, place_of_select, cast(sum(row_count) as bigint)
    from sqlanon.cells
    group by place_of_select
)
select
    place_counts.attribute_number,
    place_counts.place,
    places.position,
    place_counts.row_count,
    places.place_count,
    places.position_range
from place_counts
inner join sqlanon.places
    on places.attribute_number = place_counts.attribute_number
    and places.place = place_counts.place
order by place_counts.attribute_number, place_counts.place
