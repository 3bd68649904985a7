{#- CTEs up to `extents`: the places that the label of every class and attribute covers, in one range or several: of `trees`, of `sets`, of others -#}
{% if sets %}
{% include "partition/_sets.sql" %}

{% endif %}
extents as (
    -- one row per class and attribute, or of a set that is named one per member: the places that
    -- its label covers
{% set others = trees + (sets | map(attribute="number") | list) %}
    select class, attribute_number, first_place, last_place
    from sqlanon.class_regions
{% if others %}
    where attribute_number not in ({{ others | join(", ") }})
{% endif %}
{% if sets %}
    union all
    select class, attribute_number, first_place, last_place
    from set_labels
    where not is_named
    union all
    select set_members.class, set_members.attribute_number, set_members.place, set_members.place
    from set_members
    inner join set_labels
        on set_labels.class = set_members.class
        and set_labels.attribute_number = set_members.attribute_number
    where set_labels.is_named
{% endif %}
{% if trees %}
    union all
    -- for a label of a hierarchy, all that it covers
    select
        class_regions.class,
        class_regions.attribute_number,
        max(label_places.first_place),
        min(label_places.last_place)
    from sqlanon.class_regions
    inner join sqlanon.label_places
        on label_places.attribute_number = class_regions.attribute_number
        and label_places.place = class_regions.first_place
        and label_places.last_place >= class_regions.last_place
    where class_regions.attribute_number in ({{ trees | join(", ") }})
    group by class_regions.class, class_regions.attribute_number
{% endif %}
)
