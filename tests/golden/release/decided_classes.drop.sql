-- decided_classes: the equivalence classes of the chosen node, and whether they are published
--   promise: every published row shares its quasi-identifiers with at least 4 others (k = 5)
-- reads:   frequency_set, chosen_node
-- returns: one row per class
--   class_1 ..  the class: key & mask, the part of the packed key at the node's levels
--   class_size  source rows   [rows]
--   satisfied   true if every promise holds for the class; never null
--   published   true if its rows are published
with nodes as (
    -- the chosen node: the masks of its levels, summed
    select
        0 as node,
        cast(sum(mask) filter (where word = 1) as bigint) as mask_1
    from sqlanon.chosen_node
),
classes as (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        cast(sum(frequency_set.row_count) as bigint) as class_size
    from nodes
    cross join sqlanon.frequency_set as frequency_set
    group by
        nodes.node,
        frequency_set.key_1 & nodes.mask_1
),
k_anonymity as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.node,
        classes.class_1,
        classes.class_size,
        classes.class_size >= 5 as satisfied
    from classes as classes
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    select
        classes.node,
        classes.class_1,
        classes.class_size,
        k_anonymity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
),
decided_classes as (
    -- all rows of failing classes are suppressed
    select
        node,
        class_1,
        class_size,
        satisfied,
        satisfied as published
    from judged_classes
)
select
    class_1,
    class_size,
    satisfied,
    published
from decided_classes
