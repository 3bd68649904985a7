{#- inputs: attributes list[CutAttribute], population bool -#}
-- scales: the number of rows at each place; methods that cut whole attributes read this
-- reads:   cells, places
-- returns: one row per attribute and place that the table{{ " or the population" if population }} has
--   attribute_number, place, position, row_count   [rows], place_count, position_range
with place_counts (attribute_number, place, row_count) as (
{% for attribute in attributes %}
    {{ "union all\n    " if not loop.first }}select {{ attribute.number }}, {{ attribute.place | ident }}, cast(sum(row_count) as bigint)
    from sqlanon.cells
    group by {{ attribute.place | ident }}
{% endfor %}
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
