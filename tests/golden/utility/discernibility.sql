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
