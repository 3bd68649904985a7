{#- inputs: height int -#}
-- average_generalization: levels that values were raised, summed over rows and attributes (AG)
-- reads:   decided_classes, node_levels
-- returns: one row per node, with whole numbers
--   cost   level of each cell's label, summed over rows and attributes; a suppressed row has
--          the top levels, {{ height }} together   [levels]
with node_heights as (
    select node, sum(level) as height
    from node_levels
    group by node
)
select
    decided_classes.node,
    cast(
        sum(
            decided_classes.class_size
                * case when decided_classes.published then node_heights.height else {{ height }} end
        ) as bigint
    ) as cost,
    cast(sum(decided_classes.class_size * node_heights.height) as bigint) as lower_bound
from decided_classes
inner join node_heights on node_heights.node = decided_classes.node
group by decided_classes.node
