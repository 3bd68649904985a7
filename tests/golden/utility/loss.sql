-- loss: share of the domain that a label covers, mean over attributes
-- source:  Ghinita 2007, by values: 0 for a label of a single value, else leaves / all leaves
-- reads:   decided_classes, node_levels, level_codes, generalized_values, level_measures
-- returns: one row per node
--   cost   0 (as in the source) to 1 (nothing is left); leaves are counted in the hierarchy
--          a published cell costs 1 x its loss,
--          a suppressed cell its loss + 1 x (1 - its loss)
with attribute_weights (attribute, weight) as (
    values
        ('the "age"', cast(1.0 as double)),
        ('born', cast(1.0 as double)),
        ('zip', cast(1.0 as double)),
        ('select', cast(2.5 as double)),
        ('longitude', cast(1.0 as double)),
        ('tôwn', cast(1.0 as double)),
        ('work', cast(1.0 as double)),
        ('sex', cast(1.0 as double))
),
suppressed_cells as (
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
suppressed_sums as (
    select
        node,
        attribute,
        sum(class_size) as cell_count,
        sum(
            class_size
                * case when leaf_count = 1 then 0 else leaf_count end
        ) as leaf_sum
    from suppressed_cells
    group by node, attribute
),
attribute_sums as (
    select
        node_levels.node,
        node_levels.attribute,
        attribute_weights.weight,
        cast(level_measures.row_count as double) as cell_count,
        cast(
            level_measures.leaf_rows - level_measures.single_leaf_rows as double
        ) as leaf_sum,
        case
            when level_measures.leaf_count > 1
                then cast(level_measures.leaf_count as double)
        end as most_leaves,
        cast(coalesce(suppressed_sums.cell_count, 0) as double) as suppressed_cell_count,
        cast(coalesce(suppressed_sums.leaf_sum, 0) as double) as suppressed_leaf_sum
    from node_levels
    inner join attribute_weights on attribute_weights.attribute = node_levels.attribute
    inner join sqlanon.level_measures
        on level_measures.attribute = node_levels.attribute
        and level_measures.level = node_levels.level
    left join suppressed_sums
        on suppressed_sums.node = node_levels.node
        and suppressed_sums.attribute = node_levels.attribute
),
attribute_losses as (
    -- one row per node and attribute; an attribute with a single value loses nothing
    select
        node,
        attribute,
        weight,
        coalesce((
            1 * (leaf_sum - suppressed_leaf_sum) / most_leaves
            + suppressed_leaf_sum / most_leaves
            + 1 * (suppressed_cell_count - suppressed_leaf_sum / most_leaves)
        ) / cell_count, 0) as loss,
        coalesce(1 * leaf_sum / most_leaves / cell_count, 0) as least_loss
    from attribute_sums
)
select
    node,
    sum(weight * loss order by attribute) / sum(weight) as cost,
    sum(weight * least_loss order by attribute) / sum(weight) as lower_bound
from attribute_losses
group by node
