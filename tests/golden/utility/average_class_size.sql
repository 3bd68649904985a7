-- average_class_size: published rows per class, as a multiple of k = 5 (LeFevre 2006, C_avg)
-- reads:   decided_classes
-- returns: one row per node
--   cost   published rows / published classes / 5; null if nothing is published
select
    node,
    cast(sum(class_size) filter (where published) as double)
        / nullif(count(*) filter (where published), 0) / 5 as cost,
    cast(1000 - 50 as double) / count(*) / 5 as lower_bound
from decided_classes
group by node
