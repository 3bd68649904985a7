{#- inputs: trees list[int], sets list[CutAttribute], names int, labels str, measured list[int] -#}
-- class_covers: what the label of every class and attribute covers of the attribute's scale
-- reads:   class_regions, places{{ ", label_places" if trees or sets | selectattr("hierarchy") | list }}{{ ", class_cells" if sets and labels == "tight" }}{{ ", value_places" if sets }}
-- returns: one row per class and attribute
--   leaf_count    values that the label covers                   [values]
--   leaf_rows     rows with these values                         [rows]
--   weight        the attribute's, in the means over attributes
--   value_share   share of the attribute's values; 0 for a single value          [0 to 1]
--   range_share   for numbers and dates share of the scale, else value_share     [0 to 1]
with {% include "partition/_extents.sql" %},
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
            sum(lasts.values_so_far - firsts.values_so_far + firsts.value_count) as bigint
        ) as leaf_count,
        sum(lasts.rows_so_far - firsts.rows_so_far + firsts.row_count) as leaf_rows,
        firsts.weight,
        firsts.attribute_values,
        max(lasts.end_position) - min(firsts.position) as length,
        firsts.extent
    from extents
    inner join running_rows as firsts
        on firsts.attribute_number = extents.attribute_number
        and firsts.place = extents.first_place
    inner join running_rows as lasts
        on lasts.attribute_number = extents.attribute_number
        and lasts.place = extents.last_place
    group by
        extents.class, extents.attribute_number, firsts.weight, firsts.attribute_values,
        firsts.extent
) as measured_labels
