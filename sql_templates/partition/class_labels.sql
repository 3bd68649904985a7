{#- inputs: attributes list[CutAttribute], titles dict[int, str], trees list[int], sets list[CutAttribute], names int, labels str, key str, position str, bounds list[tuple[CutAttribute, str, str, str]] attribute lowest highest type -#}
{% import "_comments.sql" as comments %}
{% import "partition/_grid.sql" as grids %}
-- class_labels: what the publication says of the rows of each class
{% set intervals = attributes | rejectattr("number", "in", trees) | rejectattr("number", "in", sets | map(attribute="number") | list) | list %}
{% set boxed = intervals or trees %}
{% set read = ["class_regions"] + (["value_places"] if sets else []) %}
{% set read = read + (["places"] if boxed else []) + (["label_places"] if trees or sets | selectattr("hierarchy") | list else []) %}
-- reads:   {{ (read + (["class_cells"] if sets and labels == "tight" else [])) | join(", ") }}
-- returns: one row per class
--   {{ key }}   number of the class
--   {{ position }}   position of the class in the publication, by its labels
{% for attribute in attributes %}
{% call comments.wrapped("--   " ~ (attribute.name | comment) ~ "   ", hang="--     ") %}
{{ titles[attribute.number] }}
{% endcall %}
{% endfor %}
{% for attribute, lowest, highest, kind in bounds %}
--   {{ lowest | comment }}, {{ highest | comment }}   ends of the label without missing values
{% endfor %}
-- nulls:   a label is null if the class has missing values alone, and ends in "or NULL" if it
--          has other values, too
with {% if boxed %}
boxes as (
    -- one row per attribute and box of a class: its first place that is no missing value
    select
        extents.attribute_number,
        extents.first_place,
        extents.last_place,
        case
            when firsts.label is null and extents.first_place < extents.last_place
                then extents.first_place + 1
            else extents.first_place
        end as lowest_place,
        firsts.label is null as holds_null
    from (
        select distinct attribute_number, first_place, last_place
        from sqlanon.class_regions
    ) as extents
    inner join sqlanon.places as firsts
        on firsts.attribute_number = extents.attribute_number
        and firsts.place = extents.first_place
),
box_labels as (
    -- one row per attribute and box: its label
{% if intervals %}
    select
        boxes.attribute_number,
        boxes.first_place,
        boxes.last_place,
        boxes.lowest_place,
        case
            when boxes.lowest_place = boxes.last_place then highest.label
{% if intervals | selectattr("least_persons") | list %}
            when lowest.opening = '[*' and highest.closing = '*]' then '*'
{% endif %}
            else lowest.opening || ', ' || highest.closing
        end
            || case
                when boxes.holds_null and boxes.first_place < boxes.last_place then ' or NULL'
                else ''
            end as label
    from boxes
    inner join sqlanon.places as lowest
        on lowest.attribute_number = boxes.attribute_number
        and lowest.place = boxes.lowest_place
    inner join sqlanon.places as highest
        on highest.attribute_number = boxes.attribute_number
        and highest.place = boxes.last_place
{% if intervals | length < attributes | length %}
    where boxes.attribute_number in ({{ intervals | map(attribute="number") | join(", ") }})
{% endif %}
{% endif %}
{% if intervals and trees %}
    union all
{% endif %}
{% if trees %}
    select attribute_number, first_place, last_place, lowest_place, label
    from (
        -- the lowest label of the hierarchy that covers the whole box comes first
        select
            boxes.attribute_number,
            boxes.first_place,
            boxes.last_place,
            boxes.lowest_place,
            label_places.label,
            row_number() over (
                partition by boxes.attribute_number, boxes.first_place, boxes.last_place
                order by label_places.level
            ) as preference
        from boxes
        inner join sqlanon.label_places
            on label_places.attribute_number = boxes.attribute_number
            and label_places.place = boxes.first_place
            and label_places.last_place >= boxes.last_place
{% if trees | length < attributes | length %}
        where boxes.attribute_number in ({{ trees | join(", ") }})
{% endif %}
    ) as ancestors
    where preference = 1
{% endif %}
),
{% endif %}
{% if sets %}
{% include "partition/_sets.sql" %}
{% endif %}
labels as (
    -- one row per class and attribute: its label{{ ", and the places of its ends" if bounds }}
{% if boxed %}
    select
        class_regions.class,
        class_regions.attribute_number,
{% if bounds %}
        box_labels.lowest_place,
        box_labels.last_place as highest_place,
{% endif %}
        box_labels.label
    from sqlanon.class_regions
    inner join box_labels
        on box_labels.attribute_number = class_regions.attribute_number
        and box_labels.first_place = class_regions.first_place
        and box_labels.last_place = class_regions.last_place
{% endif %}
{% if boxed and sets %}
    union all
{% endif %}
{% if sets %}
    select
        class,
        attribute_number,
{% if bounds %}
        cast(null as integer) as lowest_place,
        cast(null as integer) as highest_place,
{% endif %}
        label
    from set_labels
{% endif %}
),
labeled_classes as (
    -- one row per class: the label of each attribute in its column
    select
        class{{ " as " ~ (key | ident) if key != "class" }},
{% for attribute in attributes %}
        max(label) filter (where attribute_number = {{ attribute.number }}) as {{ attribute.name | ident }}{{ "," if not loop.last or bounds }}
{% endfor %}
{% for attribute, lowest, highest, kind in bounds %}
        max(lowest_place) filter (where attribute_number = {{ attribute.number }}) as {{ lowest | ident }},
        max(highest_place) filter (where attribute_number = {{ attribute.number }}) as {{ highest | ident }}{{ "," if not loop.last }}
{% endfor %}
    from labels
    group by class
)
select
    labeled_classes.{{ key | ident }},
    dense_rank() over (
        order by
{% for attribute in attributes %}
            labeled_classes.{{ attribute.name | ident }}{{ "," if not loop.last }}
{% endfor %}
    ) as {{ position | ident }},
{% for attribute in attributes %}
    labeled_classes.{{ attribute.name | ident }}{{ "," if not loop.last or bounds }}
{% endfor %}
{% for attribute, lowest, highest, kind in bounds %}
{% set opening = attribute.named("lowest") | ident %}
{% set closing = attribute.named("highest") | ident %}
{% set opening = "substring(" ~ opening ~ ".opening, 2)" %}
{% set closing = "substring(" ~ closing ~ ".closing, 1, greatest(length(" ~ closing ~ ".closing) - 1, 0))" %}
    cast({{ grids.whole(opening, attribute.grid) }} as {{ kind }}) as {{ lowest | ident }},
    cast({{ grids.whole(closing, attribute.grid) }} as {{ kind }}) as {{ highest | ident }}{{ "," if not loop.last }}
{% endfor %}
from labeled_classes
{% for attribute, lowest, highest, kind in bounds %}
left join sqlanon.places as {{ attribute.named("lowest") | ident }}
    on {{ attribute.named("lowest") | ident }}.attribute_number = {{ attribute.number }}
    and {{ attribute.named("lowest") | ident }}.place = labeled_classes.{{ lowest | ident }}
left join sqlanon.places as {{ attribute.named("highest") | ident }}
    on {{ attribute.named("highest") | ident }}.attribute_number = {{ attribute.number }}
    and {{ attribute.named("highest") | ident }}.place = labeled_classes.{{ highest | ident }}
{% endfor %}
