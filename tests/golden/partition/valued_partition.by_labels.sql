-- valued_partition: the information loss of a partition by discernibility
-- reads:   class_cells, class_labels
-- returns: one row: the cost; lower is better
with decided_classes as (
    -- classes with the same labels are one class to a reader
    select
        0 as node,
        class_labels.class_position as class_1,
        cast(sum(class_cells.row_count) as bigint) as class_size,
        true as published
    from sqlanon.class_cells
    inner join sqlanon.class_labels on class_labels.class = class_cells.class
    group by class_labels.class_position
    having sum(class_cells.row_count) > 0
),
valued_partition as (
    -- discernibility: indistinguishable rows, summed over rows (Bayardo and Agrawal 2005)
    -- reads:   decided_classes
    -- returns: one row per node, with whole numbers
    --   cost   sum of class_size^2 over published classes,
    --          and 1000 per suppressed row   [row pairs]
    select
        node,
        sum(
            cast(class_size as decimal(19, 0))
            * cast(
                case when published then class_size else 1000 end as decimal(19, 0)
            )
        ) as cost,
        sum(cast(class_size as decimal(19, 0)) * cast(class_size as decimal(19, 0))) as lower_bound
    from decided_classes
    group by node
)
select cost
from valued_partition
