-- shown_tree: the cuts for readers, in their order, with the number of rows on each side
-- reads:   partition_tree, places
-- returns: one row per region of every round; the first is the whole table
--   attribute   attribute of the cut that made the region; null for the whole table
--   row_count   source rows; population_count: rows of the population   [rows]
--   first_place, last_place   ends of this side of the cut, as numbers in the attribute's order,
--                     because the publication does not disclose all values
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
cut_regions as (
    select distinct round - 1 as round, parent as region
    from sqlanon.partition_tree
)
select
    bounded_sides.round,
    bounded_sides.region,
    case when bounded_sides.round > 0 then bounded_sides.parent end as parent,
    bounded_sides.attribute,
    case when bounded_sides.round > 0 then bounded_sides.first_place end as first_place,
    case when bounded_sides.round > 0 then bounded_sides.end_place end as last_place,
    bounded_sides.population_count,
    bounded_sides.row_count,
    cut_regions.region is null as is_class
from bounded_sides
left join cut_regions
    on cut_regions.round = bounded_sides.round
    and cut_regions.region = bounded_sides.region
order by bounded_sides.round, bounded_sides.region
