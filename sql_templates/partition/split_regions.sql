{#- inputs: attributes list[CutAttribute] -#}
-- class_regions: the box of every class: the intervals that contain its rows
-- reads:   class_cells, intervals
-- returns: one row per class with rows, and attribute
--   first_place, last_place   first and last place of the class
with class_places (class, attribute_number, place) as (
    -- one row per class and attribute: one of its places
{% for attribute in attributes %}
    {{ "union all\n    " if not loop.first }}select class, {{ attribute.number }}, min({{ attribute.place | ident }})
    from sqlanon.class_cells
    where row_count > 0
    group by class
{% endfor %}
)
select class_places.class, intervals.attribute_number, intervals.first_place, intervals.last_place
from class_places
inner join sqlanon.intervals
    on intervals.attribute_number = class_places.attribute_number
    and class_places.place between intervals.first_place and intervals.last_place
