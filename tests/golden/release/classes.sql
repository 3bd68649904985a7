-- classes: the equivalence classes of the chosen node, before suppression
-- reads:   frequency_set, chosen_node
-- returns: one row per class
--   class_1 ..  the class: key & mask, what is left of the packed key at the node's levels
--   class_size  source rows   [rows]
with node_masks as (
    select
        cast(sum(mask) filter (where word = 1) as bigint) as mask_1,
        cast(sum(mask) filter (where word = 2) as bigint) as mask_2
    from sqlanon.chosen_node
)
select
    frequency_set.key_1 & node_masks.mask_1 as class_1,
    frequency_set.key_2 & node_masks.mask_2 as class_2,
    cast(sum(frequency_set.row_count) as bigint) as class_size
from sqlanon.frequency_set as frequency_set
cross join node_masks
group by
    frequency_set.key_1 & node_masks.mask_1,
    frequency_set.key_2 & node_masks.mask_2
