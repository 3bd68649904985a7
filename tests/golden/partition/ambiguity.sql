-- ambiguity: original combinations that a published row may stand for (Nergiz and Clifton 2007)
-- reads:   decided_classes, class_regions, places, label_places
-- returns: one row
--   cost   mean over rows of the product of the numbers of values that its labels cover
--          [combinations]
with extents as (
    -- one row per class and attribute: the places that its label covers
    -- for a label of a hierarchy, all that it covers
    select class, attribute_number, first_place, last_place
    from sqlanon.class_regions
    where attribute_number not in (3)
    union all
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
    where class_regions.attribute_number in (3)
    group by class_regions.class, class_regions.attribute_number
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
covers as (
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
class_domains as (
    -- a product of integers, computed by logarithms and rounded to an integer
    select
        class, floor(exp(sum(ln(leaf_count) order by attribute_number)) + 0.5) as combinations
    from covers
    group by class
)
select
    sum(decided_classes.class_size * class_domains.combinations order by class_domains.class)
        / sum(decided_classes.class_size) as cost
from class_domains
inner join decided_classes on decided_classes.class_1 = class_domains.class
