{#- inputs: attributes list[CutAttribute], carried list[str], unit bool, population bool -#}
{% import "partition/_columns.sql" as columns with context %}
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
{% for attribute in attributes %}
            {{ attribute.named("intervals") | ident }}.first_place{{ "," if not loop.last }}
{% endfor %}
    ) as integer) as class,
    {{ columns.cell("cells.row_count", "cells.") | indent(4) }}
from sqlanon.cells
{% for attribute in attributes %}
inner join place_intervals as {{ attribute.named("intervals") | ident }}
    on {{ attribute.named("intervals") | ident }}.attribute_number = {{ attribute.number }}
    and {{ attribute.named("intervals") | ident }}.place = cells.{{ attribute.place | ident }}
{% endfor %}
