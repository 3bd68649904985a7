-- partition_class_sizes: how large the classes of a partition are
-- reads:   class_cells, class_labels
-- returns: one row
--   class_count      classes; those with the same labels are one   [classes]
--   smallest_class   size of the smallest one   [rows]
--   class_sizes      sum of their sizes   [rows]
with published_classes as (
    select cast(sum(class_cells.row_count) as bigint) as class_size
    from sqlanon.class_cells
    inner join sqlanon.class_labels on class_labels.class = class_cells.class
    group by class_labels.class_position
    having sum(class_cells.row_count) > 0
)
select
    count(*) as class_count,
    min(class_size) as smallest_class,
    cast(sum(class_size) as bigint) as class_sizes
from published_classes
