-- height: sum of the levels of the node (Samarati 2001)
-- reads:   node_levels
-- returns: one row per node
--   cost   levels, summed over the quasi-identifiers   [levels]
select
    node,
    cast(sum(level) as bigint) as cost,
    cast(sum(level) as bigint) as lower_bound
from node_levels
group by node
