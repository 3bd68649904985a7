-- entropy: bits of the original values lost by generalization (non-uniform entropy, Gionis and
--   Tassa 2009)
-- reads:   decided_classes, node_levels, level_codes, generalized_values, level_measures
-- returns: one row per node
--   cost   sum over rows and attributes of -log2(rows of the value / rows of its label)   [bits]
with node_bits as (
    select
        node_levels.node,
        sum(level_measures.entropy_bits order by node_levels.attribute) as bits
    from node_levels
    inner join sqlanon.level_measures
        on level_measures.attribute = node_levels.attribute
        and level_measures.level = node_levels.level
    group by node_levels.node
)
select
    node_bits.node,
    node_bits.bits as cost,
    node_bits.bits as lower_bound
from node_bits
