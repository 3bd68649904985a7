-- shown_tree: the cuts for readers, in their order, with the number of rows on each side
-- reads:   partition_tree, places, label_places
-- returns: one row per region of every round; the first is the whole table
--   attribute   attribute of the cut that made the region; null for the whole table
--   row_count   source rows   [rows]
--   lowest, highest   ends of this side of a cut in two, as the published regions show them
--   label             label of this side of a cut into labels
--   is_class    true if the region is not cut again
with bounded_sides as (
    select
        partition_tree.*,
        least(partition_tree.last_place, scales.last_place) as end_place,
        scales.attribute
    from sqlanon.partition_tree
    left join (
        select attribute_number, attribute, max(place) as last_place
        from sqlanon.places
        group by attribute_number, attribute
    ) as scales
        on scales.attribute_number = partition_tree.attribute_number
),
covering_labels as (
    -- of labels that cover the same places, the coarsest, which discloses least
    select attribute_number, first_place, last_place, label
    from (
        select
            *,
            row_number() over (
                partition by attribute_number, first_place, last_place order by level desc, place
            ) as preference
        from sqlanon.label_places
    ) as labels
    where preference = 1
),
cut_regions as (
    select distinct round - 1 as round, parent as region
    from sqlanon.partition_tree
)
select
    bounded_sides.round,
    bounded_sides.region,
    case when bounded_sides.round > 0 then bounded_sides.parent end as parent,
    bounded_sides.attribute,
    case when labels.label is null then substring(lowest.opening, 2) end as lowest,
    case
        when labels.label is null
            then substring(highest.closing, 1, greatest(length(highest.closing) - 1, 0))
    end as highest,
    labels.label,
    bounded_sides.row_count,
    cut_regions.region is null as is_class
from bounded_sides
left join cut_regions
    on cut_regions.round = bounded_sides.round
    and cut_regions.region = bounded_sides.region
left join covering_labels as labels
    on labels.attribute_number = bounded_sides.attribute_number
    and labels.first_place = bounded_sides.first_place
    and labels.last_place = bounded_sides.end_place
left join sqlanon.places as lowest
    on lowest.attribute_number = bounded_sides.attribute_number
    and lowest.place = bounded_sides.first_place
left join sqlanon.places as highest
    on highest.attribute_number = bounded_sides.attribute_number
    and highest.place = bounded_sides.end_place
order by bounded_sides.round, bounded_sides.region
