-- loss: share of the values that a label covers, as weighted mean over attributes
-- source:  Ghinita 2007, by values: 0 for a single value, else values / all values
-- reads:   decided_classes, class_regions, places
-- returns: one row
--   cost   0 (as in the source) to 1 (nothing is left)
with extents as (
    -- one row per class and attribute: the places that its label covers
    select class, attribute_number, first_place, last_place
    from sqlanon.class_regions
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
),
box_covers as (
    -- one row per class and attribute: what its label covers of the values, rows, and scale
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
            when attribute_number in (1, 2) then coalesce(length / nullif(extent, 0), 0)
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
),
covers as (
    -- for a set, its members
    select *
    from box_covers
    where attribute_number not in (3, 4)
    union all
    select
        members.class,
        3,
        count(*),
        sum(value_places.row_count),
        max(value_places.weight),
        case
            when count(*) = 1 then 0
            else cast(count(*) as double) / max(value_places.place_count)
        end,
        case
            when count(*) = 1 then 0
            else cast(count(*) as double) / max(value_places.place_count)
        end
    from (
        select distinct class, place_of_town as place
        from sqlanon.class_cells
        where row_count > 0
    ) as members
    inner join sqlanon.value_places
        on value_places.attribute_number = 3
        and value_places.place = members.place
    group by members.class
    union all
    select
        members.class,
        4,
        count(*),
        sum(value_places.row_count),
        max(value_places.weight),
        case
            when count(*) = 1 then 0
            else cast(count(*) as double) / max(value_places.place_count)
        end,
        case
            when count(*) = 1 then 0
            else cast(count(*) as double) / max(value_places.place_count)
        end
    from (
        select distinct class, place_of_select as place
        from sqlanon.class_cells
        where row_count > 0
    ) as members
    inner join sqlanon.value_places
        on value_places.attribute_number = 4
        and value_places.place = members.place
    group by members.class
)

select
    sum(
        decided_classes.class_size * covers.weight * covers.value_share
        order by covers.class, covers.attribute_number
    )
        / sum(
            decided_classes.class_size * covers.weight
            order by covers.class, covers.attribute_number
        ) as cost
from covers
inner join decided_classes on decided_classes.class_1 = covers.class
