{#- inputs: attributes list[CutAttribute], carried list[int], unit bool, population bool -#}
{% import "partition/_columns.sql" as columns with context %}
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
{% for attribute in attributes %}
            intervals_{{ attribute.number }}.first_place{{ "," if not loop.last }}
{% endfor %}
    ) as integer) as class,
    {{ columns.cell("cells.row_count", "cells.") | indent(4) }}
from sqlanon.cells as cells
{% for attribute in attributes %}
inner join place_intervals as intervals_{{ attribute.number }}
    on intervals_{{ attribute.number }}.attribute_number = {{ attribute.number }}
    and intervals_{{ attribute.number }}.place = cells.place_{{ attribute.number }}
{% endfor %}
