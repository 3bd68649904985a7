-- partition_tree: the cuts in their order, and the number of rows on each side
-- reads:   regions
-- returns: one row per region of every round
--   attribute_number, first_place, last_place   the side of the cut: its attribute and its places
--   row_count   source rows   [rows]
select
    round,
    region,
    parent,
    attribute_number,
    first_place,
    last_place,
    cast(sum(population_count) as bigint) as population_count,
    cast(sum(row_count) as bigint) as row_count
from sqlanon.regions
group by round, region, parent, attribute_number, first_place, last_place
