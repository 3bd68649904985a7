-- scales: the number of rows at each place; methods that cut whole attributes read this
-- reads:   cells, value_places
-- returns: one row per attribute and place that the table or the population has
--   attribute_number, place, position, row_count   [rows], place_count, position_range
with place_counts (attribute_number, place, row_count) as (
    select 1, place_1, cast(sum(row_count) as bigint) from sqlanon.cells group by place_1
    union all select 2, place_2, cast(sum(row_count) as bigint) from sqlanon.cells group by place_2
    union all select 3, place_3, cast(sum(row_count) as bigint) from sqlanon.cells group by place_3
    union all select 4, place_4, cast(sum(row_count) as bigint) from sqlanon.cells group by place_4
)
select
    place_counts.attribute_number,
    place_counts.place,
    value_places.position,
    place_counts.row_count,
    value_places.place_count,
    value_places.position_range
from place_counts
inner join sqlanon.value_places as value_places
    on value_places.attribute_number = place_counts.attribute_number
    and value_places.place = place_counts.place
order by place_counts.attribute_number, place_counts.place
