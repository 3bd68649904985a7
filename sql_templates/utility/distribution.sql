{#- inputs: row_count int, limit_rows int, weights list[tuple[str, Decimal]], words int, classes str -#}
-- distribution: distance of each column's values from what a reader of the labels
--   reconstructs, as weighted mean over attributes
--   A reader spreads the published rows of a label evenly over the values that it covers,
--   and has no other rows.
-- reads:   {{ classes }}, node_levels, level_codes, generalized_values
-- returns: one row per node
--   cost   total variation, 0 (the same shares) to 1; null if nothing is published
--   lower_bound   half of it without suppression, less the share that may be suppressed:
--          merging labels moves the shares of a node above to their means, at most back by
--          what this one has moved them
with attribute_weights (attribute, weight) as (
    values
{% for attribute, weight in weights %}
        ({{ attribute | text }}, cast({{ weight | number }} as double)){{ "," if not loop.last }}
{% endfor %}
),
suppressed_cells as (
{% filter indent(4, first=true) %}{% set suppressed_only = true %}{% include "utility/_cells.sql" %}{% endfilter %}

),
suppressed_labels as (
    select node, attribute, code, sum(class_size) as row_count
    from suppressed_cells
    group by node, attribute, code
),
suppressions as (
    select node, coalesce(sum(class_size) filter (where not published), 0) as row_count
    from {{ classes }}
    group by node
),
leaf_labels as (
    -- one row per attribute, level of a node and value: its rows, and the label that covers it
    select
        levels.attribute,
        levels.level,
        leaves.code as leaf,
        leaves.row_count,
        leaves.code & level_codes.mask as code
    from (
        select distinct attribute, level
        from node_levels
    ) as levels
    inner join sqlanon.level_codes
        on level_codes.attribute = levels.attribute
        and level_codes.level = levels.level
    inner join sqlanon.generalized_values as leaves
        on leaves.attribute = levels.attribute
        and leaves.level = 0
),
leaf_shares as (
    -- one row per node, attribute and value: its share of the source, and of what is read
    select
        node_levels.node,
        node_levels.attribute,
        leaf_labels.leaf,
        leaf_labels.row_count / cast({{ row_count | number }} as double) as share,
        labels.row_count / cast(labels.leaf_count as double) / {{ row_count | number }} as even_share,
        (labels.row_count - coalesce(suppressed_labels.row_count, 0))
            / cast(labels.leaf_count as double)
            / nullif({{ row_count | number }} - suppressions.row_count, 0) as published_share
    from node_levels
    inner join suppressions on suppressions.node = node_levels.node
    inner join leaf_labels
        on leaf_labels.attribute = node_levels.attribute
        and leaf_labels.level = node_levels.level
    inner join sqlanon.generalized_values as labels
        on labels.attribute = leaf_labels.attribute
        and labels.level = leaf_labels.level
        and labels.code = leaf_labels.code
    left join suppressed_labels
        on suppressed_labels.node = node_levels.node
        and suppressed_labels.attribute = leaf_labels.attribute
        and suppressed_labels.code = leaf_labels.code
),
attribute_distances as (
    select
        node,
        attribute,
        sum(abs(share - published_share) order by leaf) / 2 as distance,
        sum(abs(share - even_share) order by leaf) / 2 as even_distance
    from leaf_shares
    group by node, attribute
)
select
    attribute_distances.node,
    sum(
        attribute_weights.weight * attribute_distances.distance
        order by attribute_weights.attribute
    )
        / sum(attribute_weights.weight) as cost,
    greatest(
        0,
        sum(
            attribute_weights.weight * attribute_distances.even_distance
            order by attribute_weights.attribute
        )
            / sum(attribute_weights.weight) / 2
            - cast({{ limit_rows | number }} as double) / {{ row_count | number }}
    ) as lower_bound
from attribute_distances
inner join attribute_weights on attribute_weights.attribute = attribute_distances.attribute
group by attribute_distances.node
