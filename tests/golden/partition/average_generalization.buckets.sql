-- average_generalization: levels that values were raised, summed over rows and attributes (AG)
-- reads:   class_cells, bucket_nodes
-- returns: one row
--   cost   level of each cell's label, summed over rows and attributes   [levels]
select
    cast(
        sum(
            class_cells.row_count * (bucket_nodes.level_of_zip + bucket_nodes.level_of_age)
        ) as bigint
    ) as cost
from sqlanon.class_cells
inner join sqlanon.bucket_nodes on bucket_nodes.bucket = class_cells.class
