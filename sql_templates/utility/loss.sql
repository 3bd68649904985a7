{#- inputs: variant str, aggregate str, leaves str, kept_factor Decimal, suppressed_factor Decimal, weights list[tuple[str, Decimal]], words int, classes str -#}
{% set prefix = "data_" if leaves == "data" else "" %}
{% set less = prefix ~ "single_leaf_rows" if variant == "ghinita" else "row_count" %}
-- loss: share of the domain that a label covers, {{ aggregate | comment }} over attributes
{% if variant == "ghinita" %}
-- source:  Ghinita 2007, by values: 0 for a label of a single value, else leaves / all leaves
{% elif variant == "iyengar" %}
-- source:  Iyengar 2002 (LM): (leaves - 1) / (all leaves - 1)
{% else %}
-- source:  Xiao and Tao 2006 (ILoss): (leaves - 1) / all leaves
{% endif %}
-- reads:   {{ classes }}, node_levels, level_codes, generalized_values, level_measures
-- returns: one row per node
--   cost   0 (as in the source) to 1 (nothing is left); leaves are counted in the {{ leaves | comment }}
--          a published cell costs {{ kept_factor | number }} x its loss,
--          a suppressed cell its loss + {{ suppressed_factor | number }} x (1 - its loss)
with attribute_weights (attribute, weight) as (
    values
{% for attribute, weight in weights %}
        ({{ attribute | text }}, cast({{ weight | number }} as double)){{ "," if not loop.last }}
{% endfor %}
),
suppressed_cells as (
{% filter indent(4, first=true) %}{% set suppressed_only = true %}{% include "utility/_cells.sql" %}{% endfilter %}

),
suppressed_sums as (
    select
        node,
        attribute,
        sum(class_size) as cell_count,
{% if variant == "ghinita" %}
        sum(
            class_size
                * case when {{ prefix }}leaf_count = 1 then 0 else {{ prefix }}leaf_count end
        ) as leaf_sum
{% else %}
        sum(class_size * ({{ prefix }}leaf_count - 1)) as leaf_sum
{% endif %}
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
            level_measures.{{ prefix }}leaf_rows - level_measures.{{ less }} as double
        ) as leaf_sum,
        case
            when level_measures.{{ prefix }}leaf_count > 1
                then cast(level_measures.{{ prefix }}leaf_count as double){{ " - " ~ (kept_factor | number) if variant == "iyengar" }}
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
            {{ kept_factor | number }} * (leaf_sum - suppressed_leaf_sum) / most_leaves
            + suppressed_leaf_sum / most_leaves
            + {{ suppressed_factor | number }} * (suppressed_cell_count - suppressed_leaf_sum / most_leaves)
        ) / cell_count, 0) as loss,
        coalesce({{ kept_factor | number }} * leaf_sum / most_leaves / cell_count, 0) as least_loss
    from attribute_sums
)
select
    node,
{% for column, result in [("loss", "cost"), ("least_loss", "lower_bound")] %}
{% if aggregate == "mean" %}
    sum(weight * {{ column }} order by attribute) / sum(weight) as {{ result }}{{ "," if not loop.last }}
{% elif aggregate == "geometric-mean" %}
    exp(sum(weight * ln(1 + {{ column }}) order by attribute) / sum(weight)) - 1 as {{ result }}{{ "," if not loop.last }}
{% elif aggregate == "max" %}
    max(weight * {{ column }}) as {{ result }}{{ "," if not loop.last }}
{% elif aggregate == "sum" %}
    sum(weight * {{ column }} order by attribute) as {{ result }}{{ "," if not loop.last }}
{% else %}
    list(weight * {{ column }} order by weight * {{ column }} desc) as {{ result }}{{ "," if not loop.last }}
{% endif %}
{% endfor %}
from attribute_losses
group by node
