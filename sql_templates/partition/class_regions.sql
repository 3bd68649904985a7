{#- inputs: attributes list[CutAttribute], labels str -#}
{% if labels == "region" %}
-- class_regions: the box of every class, as bounded by its cuts
-- reads:   partition_tree, places, class_cells
{% else %}
-- class_regions: the smallest box that contains the rows of every class
-- reads:   class_cells
{% endif %}
-- returns: one row per class with rows, and attribute
--   first_place, last_place   first and last place of the class
{% if labels == "region" %}
with recursive boxes as (
    -- round 0: one row per attribute, with all of its places
    select 0 as round, 1 as region, attribute_number, 0 as first_place, max(place) as last_place
    from sqlanon.places
    group by attribute_number
    union all
    -- the next round: the boxes of the regions that were cut, bounded by this side of the cut
    select
        sides.round,
        sides.region,
        boxes.attribute_number,
        case
            when sides.attribute_number = boxes.attribute_number
                then greatest(boxes.first_place, sides.first_place)
            else boxes.first_place
        end,
        case
            when sides.attribute_number = boxes.attribute_number
                then least(boxes.last_place, sides.last_place)
            else boxes.last_place
        end
    from boxes
    inner join sqlanon.partition_tree as sides
        on sides.round = boxes.round + 1
        and sides.parent = boxes.region
),
classes as (
    -- one row per class with rows: the region that it is
    select class, round, region
    from sqlanon.class_cells
    group by class, round, region
    having sum(row_count) > 0
)
select classes.class, boxes.attribute_number, boxes.first_place, boxes.last_place
from boxes
inner join classes
    on classes.round = boxes.round
    and classes.region = boxes.region
{% else %}
{% for attribute in attributes %}
{{ "union all\n" if not loop.first }}select
    class,
    {{ attribute.number }} as attribute_number,
    min({{ attribute.place | ident }}) as first_place,
    max({{ attribute.place | ident }}) as last_place
from sqlanon.class_cells
where row_count > 0
group by class
{% endfor %}
{% endif %}
