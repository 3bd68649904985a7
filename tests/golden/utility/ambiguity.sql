-- ambiguity: original combinations that a published row may stand for (Nergiz and Clifton 2007)
-- reads:   decided_classes, node_levels, level_codes, generalized_values
-- returns: one row per node
--   cost   mean over rows of the product of the leaf counts of the row's labels in their
--          hierarchies; all labels of a suppressed row count as '*'   [combinations]
with cells as (
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
    )
    select class_codes.*, generalized_values.leaf_count, generalized_values.data_leaf_count
    from class_codes
    inner join sqlanon.generalized_values
        on generalized_values.attribute = class_codes.attribute
        and generalized_values.level = class_codes.level
        and generalized_values.code = class_codes.code
),
domains as (
    select attribute, sum(leaf_count) as leaf_count
    from sqlanon.generalized_values
    where level = 0
    group by attribute
),
whole_domain as (
    select floor(exp(sum(ln(leaf_count) order by attribute)) + 0.5) as combinations
    from domains
),
class_domains as (
    -- a product of integers, computed by logarithms and rounded to an integer
    select
        node,
        class_1,
        class_2,
        min(class_size) as class_size,
        published,
        floor(exp(sum(ln(leaf_count) order by attribute)) + 0.5) as combinations
    from cells
    group by
        node, class_1, class_2, published
)
select
    class_domains.node,
    sum(class_domains.class_size * case
        when class_domains.published then class_domains.combinations
        else whole_domain.combinations
    end) / 1000 as cost,
    sum(class_domains.class_size * class_domains.combinations) / 1000
        as lower_bound
from class_domains
cross join whole_domain
group by class_domains.node
