-- valued_nodes: the information loss of each of 1 lattice nodes by loss
-- reads:   frequency_set, generalized_values, level_codes, level_measures
-- returns: one row per node
--   cost         value of the measure, including suppressed rows; lower is better
--   lower_bound  no node above this one has a lower cost
with nodes (
    node, mask_1, mask_2
) as (
    values
        (0, 12333430, 100000000)
),
node_rows as not materialized (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.key_2 & nodes.mask_2 as class_2,
        frequency_set.row_count
    from nodes
    cross join sqlanon.frequency_set as frequency_set
),
classes as (
    -- rows of each class
    select node, class_1, class_2, cast(sum(row_count) as bigint) as class_size
    from node_rows
    group by node, class_1, class_2
),
k_anonymity as (
    select
        classes.node, classes.class_1, classes.class_2,
        classes.class_size,
        case
            when classes.class_size >= 5 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 5 as satisfied
    from classes
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    -- unpublishable_rows: lower bound on the rows that no finer node can publish
    select
        classes.node,
        classes.class_1,
        classes.class_2,
        classes.class_size,
        k_anonymity.excess_rows as unpublishable_rows,
        k_anonymity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
        and k_anonymity.class_2 = classes.class_2
),
ranked_classes as (
    -- the smallest satisfied class of each node comes first
    select
        *,
        satisfied and row_number() over (
            partition by node
            order by satisfied desc, class_size, class_1, class_2
        ) = 1 as is_smallest
    from judged_classes
),
failing_nodes as (
    select node
    from ranked_classes
    where not satisfied
    group by node
),
star_classes as (
    -- masked rows form one class of '*': the failing classes alone, or, if that class would
    -- fail, the failing classes and the smallest satisfied one (Sweeney 2002, step 4)
    select node, 0 as added_classes, cast(sum(class_size) as bigint) as class_size
    from ranked_classes
    where not satisfied
    group by node
    union all
    select node, 1, cast(sum(class_size) as bigint)
    from ranked_classes
    where not satisfied or is_smallest
    group by node
    having count(*) filter (where not satisfied) > 0
        and count(*) filter (where is_smallest) > 0
),
star_k_anonymity as (
    select node, added_classes, class_size, class_size >= 5 as satisfied
    from star_classes as classes
),
star_choices as (
    select
        star_k_anonymity.node,
        min(star_k_anonymity.added_classes) as added_classes
    from star_k_anonymity
    where star_k_anonymity.satisfied
    group by star_k_anonymity.node
),
decided_classes as (
    -- a node for whose '*' class the models do not hold publishes nothing
    select
        ranked_classes.node,
        ranked_classes.class_1,
        ranked_classes.class_2,
        ranked_classes.class_size,
        ranked_classes.satisfied,
        ranked_classes.unpublishable_rows,
        ranked_classes.satisfied
        and (failing_nodes.node is null or star_choices.node is not null)
        and not (ranked_classes.is_smallest and coalesce(star_choices.added_classes, 0) = 1)
            as published
    from ranked_classes
    left join failing_nodes on failing_nodes.node = ranked_classes.node
    left join star_choices on star_choices.node = ranked_classes.node
),
node_levels (node, attribute, level) as (
    values
        (0, 'the "age"', 0),
        (0, 'born', 0),
        (0, 'zip', 0),
        (0, 'select', 0),
        (0, 'longitude', 0),
        (0, 'tôwn', 0),
        (0, 'work', 0),
        (0, 'sex', 0)
),
valued_nodes as (
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
)
select node, cost, lower_bound
from valued_nodes
order by node
