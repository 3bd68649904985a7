{#- inputs: trees list[int], sets list[CutAttribute], names int, labels str -#}
-- reconstructed_values: the values of every column, and the rows that a reader of the labels
--   reconstructs: those of each class spread evenly over the values that its label covers
-- reads:   class_regions, class_cells, class_covers, value_places{{ ", label_places" if trees or sets | selectattr("hierarchy") | list }}
-- returns: one row per attribute and value
--   weight           the attribute's, in the means over attributes
--   row_count        source rows with this value                          [rows]
--   published_rows   published rows that are read as it, not a whole number   [rows]
with {% include "partition/_extents.sql" %},
class_sizes as (
    select class, sum(row_count) as class_size
    from sqlanon.class_cells
    group by class
),
changes as (
    -- one row per attribute and place where ranges begin or have ended: how many more rows each
    -- value has than one before
    select attribute_number, place, sum(change order by change) as change
    from (
        select
            extents.attribute_number,
            extents.first_place as place,
            class_sizes.class_size / cast(covers.leaf_count as double) as change
        from extents
        inner join class_sizes on class_sizes.class = extents.class
        inner join sqlanon.class_covers as covers
            on covers.class = extents.class
            and covers.attribute_number = extents.attribute_number
        union all
        select
            extents.attribute_number,
            extents.last_place + 1,
            -class_sizes.class_size / cast(covers.leaf_count as double)
        from extents
        inner join class_sizes on class_sizes.class = extents.class
        inner join sqlanon.class_covers as covers
            on covers.class = extents.class
            and covers.attribute_number = extents.attribute_number
    ) as ends
    group by attribute_number, place
),
rows_of_places as (
    -- one row per attribute and place: the rows that each of its values is read with
    select
        places.attribute_number,
        places.place,
        sum(coalesce(changes.change, 0)) over (
            partition by places.attribute_number
            order by places.place
        ) as row_count
    from sqlanon.places
    left join changes
        on changes.attribute_number = places.attribute_number
        and changes.place = places.place
)
select
    value_places.attribute_number,
    value_places.attribute,
    value_places.weight,
    value_places.value,
    value_places.row_count,
    greatest(0, rows_of_places.row_count) as published_rows
from sqlanon.value_places
inner join rows_of_places
    on rows_of_places.attribute_number = value_places.attribute_number
    and rows_of_places.place = value_places.place
