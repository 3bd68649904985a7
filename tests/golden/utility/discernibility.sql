-- discernibility: the number of indistinguishable rows, summed over rows (Bayardo and Agrawal 2005)
-- reads:   decided_classes
-- returns: one row per node
--   cost   sum of class_size^2 over published classes, and 1000 per suppressed row   [row pairs]
select
    node,
    cast(sum(
        cast(class_size as decimal(19, 0))
        * case when published then class_size else 1000 end
    ) as double) as cost,
    cast(sum(cast(class_size as decimal(19, 0)) * class_size) as double) as lower_bound
from decided_classes
group by node
