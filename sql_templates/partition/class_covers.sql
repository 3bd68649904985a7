{#- inputs: trees list[int], sets list[CutAttribute], names int, labels str, measured list[int] -#}
-- class_covers: what the label of every class and attribute covers of the attribute's scale
-- reads:   class_regions, places{{ ", label_places" if trees or sets | selectattr("hierarchy") | list }}{{ ", class_cells" if sets and labels == "tight" }}{{ ", value_places" if sets }}
-- returns: one row per class and attribute
--   leaf_count    values that the label covers                   [values]
--   leaf_rows     rows with these values                         [rows]
--   weight        the attribute's, in the means over attributes
--   value_share   share of the attribute's values; 0 for a single value          [0 to 1]
--   range_share   for numbers and dates share of the scale, else value_share     [0 to 1]
with {% if sets %}
{% include "partition/_sets.sql" %}

{% endif %}
extents as (
    -- one row per class and attribute: the places that its label covers{{ ", unless it names them" if sets }}
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
),
running_rows as (
    -- one row per attribute and place: the values and rows up to it
    select
        attribute_number,
        place,
        position,
        end_position,
        extent,
        weight,
        value_count,
        row_count,
        sum(value_count) over (partition by attribute_number) as attribute_values,
        sum(value_count) over (partition by attribute_number order by place) as values_so_far,
        sum(row_count) over (partition by attribute_number order by place) as rows_so_far
    from sqlanon.places
)
select
    class,
    attribute_number,
    leaf_count,
    leaf_rows,
    weight,
    case
        when leaf_count = 1 then 0 else cast(leaf_count as double) / attribute_values
    end as value_share,
    case
        when attribute_number in ({{ measured | join(", ") or "0" }}) then coalesce(length / nullif(extent, 0), 0)
        when leaf_count = 1 then 0
        else cast(leaf_count as double) / attribute_values
    end as range_share
from (
    select
        extents.class,
        extents.attribute_number,
        cast(
            lasts.values_so_far - firsts.values_so_far + firsts.value_count as bigint
        ) as leaf_count,
        lasts.rows_so_far - firsts.rows_so_far + firsts.row_count as leaf_rows,
        firsts.weight,
        firsts.attribute_values,
        lasts.end_position - firsts.position as length,
        firsts.extent
    from extents
    inner join running_rows as firsts
        on firsts.attribute_number = extents.attribute_number
        and firsts.place = extents.first_place
    inner join running_rows as lasts
        on lasts.attribute_number = extents.attribute_number
        and lasts.place = extents.last_place
) as measured_labels
{% if sets %}
union all
-- for a set that is named, its members
select
    set_labels.class,
    set_labels.attribute_number,
    set_labels.member_count,
    set_labels.row_count,
    attributes.weight,
    case
        when set_labels.member_count = 1 then 0
        else cast(set_labels.member_count as double) / attributes.place_count
    end,
    case
        when set_labels.member_count = 1 then 0
        else cast(set_labels.member_count as double) / attributes.place_count
    end
from set_labels
inner join (
    select distinct attribute_number, weight, place_count
    from sqlanon.places
) as attributes
    on attributes.attribute_number = set_labels.attribute_number
where set_labels.is_named
{% endif %}
