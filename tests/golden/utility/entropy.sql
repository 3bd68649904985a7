-- entropy: bits of the original values lost by generalization (non-uniform entropy, Gionis and
--   Tassa 2009)
-- reads:   decided_classes, node_levels, level_codes, generalized_values, level_measures
-- returns: one row per node
--   cost   sum over rows and attributes of -log2(rows of the value / rows of its label)   [bits]
--          and over suppressed rows of -log2(suppressed rows of the label / suppressed rows)
with suppressed_cells as (
    with class_codes as (
        -- the code of the class's label; known before the values are looked up by it
        select
            decided_classes.node,
            decided_classes.class_1,
            decided_classes.class_2,
            node_levels.attribute,
            node_levels.level,
            decided_classes.class_size,
            decided_classes.published,
            level_codes.mask
                & case level_codes.word
                    when 1 then decided_classes.class_1
                    when 2 then decided_classes.class_2
                end as code
        from decided_classes
        inner join node_levels on node_levels.node = decided_classes.node
        inner join sqlanon.level_codes
            on level_codes.attribute = node_levels.attribute
            and level_codes.level = node_levels.level
        where not decided_classes.published
    )
    select class_codes.*, generalized_values.leaf_count, generalized_values.data_leaf_count
    from class_codes
    inner join sqlanon.generalized_values
        on generalized_values.attribute = class_codes.attribute
        and generalized_values.level = class_codes.level
        and generalized_values.code = class_codes.code
),
suppressed_labels as (
    select node, attribute, code, sum(class_size) as label_rows
    from suppressed_cells
    group by node, attribute, code
),
suppressed_attributes as (
    select
        node,
        attribute,
        sum(label_rows) * log(2, sum(label_rows))
            - sum(label_rows * log(2, label_rows)) as bits
    from suppressed_labels
    group by node, attribute
),
suppressed_bits as (
    select node, sum(bits order by attribute) as bits
    from suppressed_attributes
    group by node
),
node_bits as (
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
    node_bits.bits + coalesce(suppressed_bits.bits, 0) as cost,
    node_bits.bits as lower_bound
from node_bits
left join suppressed_bits on suppressed_bits.node = node_bits.node
