-- valued_nodes: the information loss of each of 1 lattice nodes by loss
-- reads:   frequency_set, generalized_values, level_codes, level_measures
-- returns: one row per node
--   cost         value of the measure, including suppressed rows; lower is better
--   lower_bound  no node above this one has a lower cost
with nodes (
    node, mask_1
) as (
    values
        (0, 130)
),
histories as (
    -- what joins the rows of a person: their number, and two sums of hashes of their labels; sums,
    -- so that the order of the rows does not matter and equal rows count as often as they occur
    select
        nodes.node,
        frequency_set.person,
        cast(sum(frequency_set.row_count) as bigint) as class_1,
        sum(
            frequency_set.row_count
                * cast(hash('2', frequency_set.key_1 & nodes.mask_1) as hugeint)
        ) as class_2,
        sum(
            frequency_set.row_count
                * cast(hash('3', frequency_set.key_1 & nodes.mask_1) as hugeint)
        ) as class_3
    from nodes
    cross join sqlanon.frequency_set as frequency_set
    group by nodes.node, frequency_set.person
),
node_rows as not materialized (
    -- the rows of each person have the class of the history
    select
        nodes.node,
        histories.class_1,
        histories.class_2,
        histories.class_3,
        frequency_set.value_of_diagnosis,
        frequency_set.person,
        frequency_set.row_count
    from nodes
    cross join sqlanon.frequency_set as frequency_set
    inner join histories on histories.node = nodes.node and histories.person = frequency_set.person
),
class_values_of_diagnosis as (
    -- persons of each class with each value of diagnosis
    select
        node, class_1, class_2, class_3, value_of_diagnosis as value,
        count(distinct person) as value_count
    from node_rows
    group by node, class_1, class_2, class_3, value_of_diagnosis
),
classes as (
    -- persons of each class
    select
        node, class_1, class_2, class_3, count(*) as class_size,
        cast(sum(class_1) as bigint) as row_count
    from histories
    group by node, class_1, class_2, class_3
),
k_anonymity as (
    select
        classes.node, classes.class_1, classes.class_2, classes.class_3,
        classes.class_size,
        case
            when classes.class_size >= 5 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    select
        class_values.node, class_values.class_1, class_values.class_2, class_values.class_3,
        least(
            count(*),
            min(classes.class_size - class_values.value_count) + 1
        ) as diversity,
        case
            when least(
            count(*),
            min(classes.class_size - class_values.value_count) + 1
        ) >= 2 then 0
            else cast(sum(class_values.value_count) as bigint)
        end as excess_rows,
        least(
            count(*),
            min(classes.class_size - class_values.value_count) + 1
        ) >= 2 as satisfied
    from class_values_of_diagnosis as class_values
    inner join classes
        on classes.node is not distinct from class_values.node
        and classes.class_1 is not distinct from class_values.class_1
        and classes.class_2 is not distinct from class_values.class_2
        and classes.class_3 is not distinct from class_values.class_3
    group by class_values.node, class_values.class_1, class_values.class_2, class_values.class_3
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    -- unpublishable_rows: lower bound on the rows that no finer node can publish
    select
        classes.node,
        classes.class_1,
        classes.class_2,
        classes.class_3,
        classes.row_count as class_size,
        classes.class_1 * greatest(
            k_anonymity.excess_rows,
            l_diversity.excess_rows
        ) as unpublishable_rows,
        k_anonymity.satisfied
            and l_diversity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
        and k_anonymity.class_2 = classes.class_2
        and k_anonymity.class_3 = classes.class_3
    inner join l_diversity
        on l_diversity.node = classes.node
        and l_diversity.class_1 = classes.class_1
        and l_diversity.class_2 = classes.class_2
        and l_diversity.class_3 = classes.class_3
),
decided_classes as (
    -- all rows of failing classes are suppressed
    select
        node,
        class_1,
        class_2,
        class_3,
        class_size,
        satisfied,
        unpublishable_rows,
        satisfied as published
    from judged_classes
),
label_classes as (
    -- rows with equal labels may be published of some persons, and suppressed of others
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        decided_classes.published,
        cast(sum(frequency_set.row_count) as bigint) as class_size
    from nodes
    cross join sqlanon.frequency_set as frequency_set
    inner join histories on histories.node = nodes.node and histories.person = frequency_set.person
    inner join decided_classes
        on decided_classes.node = histories.node
        and decided_classes.class_1 = histories.class_1
        and decided_classes.class_2 = histories.class_2
        and decided_classes.class_3 = histories.class_3
    group by
        nodes.node,
        frequency_set.key_1 & nodes.mask_1,
        decided_classes.published
),node_levels (node, attribute, level) as (
    values
        (0, 'the "age"', 0),
        (0, 'sex', 0)
),
valued_nodes as (
    -- loss: share of the domain that a label covers, mean over attributes
    -- source:  Ghinita 2007, by values: 0 for a label of a single value, else leaves / all leaves
    -- reads:   label_classes, node_levels, level_codes, generalized_values, level_measures
    -- returns: one row per node
    --   cost   0 (as in the source) to 1 (nothing is left); leaves are counted in the hierarchy
    --          a published cell costs 1 x its loss,
    --          a suppressed cell its loss + 1 x (1 - its loss)
    with attribute_weights (attribute, weight) as (
        values
            ('the "age"', cast(1.0 as double)),
            ('sex', cast(1.0 as double))
    ),
    suppressed_cells as (
        with class_codes as (
            -- the code of the class's label; known before the values are looked up by it
            select
                label_classes.node,
                label_classes.class_1,
                node_levels.attribute,
                node_levels.level,
                label_classes.class_size,
                label_classes.published,
                level_codes.mask & label_classes.class_1 as code
            from label_classes
            inner join node_levels on node_levels.node = label_classes.node
            inner join sqlanon.level_codes
                on level_codes.attribute = node_levels.attribute
                and level_codes.level = node_levels.level
            where not label_classes.published
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
)
select node, cost, lower_bound
from valued_nodes
order by node
