{#- inputs: scales list[tuple[str, str]], weights list[tuple[str, Decimal]], words int, classes str -#}
-- ncp: share of the range that a label covers, as weighted mean over attributes
-- source:  normalized certainty penalty, Ghinita 2007: for numbers and dates highest less
--          lowest value of the source below the label / the same of all values; for others 0
--          for a single value, else leaves / all leaves
-- reads:   {{ classes }}, node_levels, level_codes, generalized_values{{ "," if scales }}
{% if scales %}
--          hierarchy_levels, source_values
{% endif %}
-- returns: one row per node
--   cost   0 (as in the source) to 1 (nothing is left); a suppressed cell costs 1
{% if scales %}
-- nulls:   a missing value has the place of the least one
{% endif %}
with attribute_weights (attribute, weight) as (
    values
{% for attribute, weight in weights %}
        ({{ attribute | text }}, cast({{ weight | number }} as double)){{ "," if not loop.last }}
{% endfor %}
),
{% include "utility/_label_shares.sql" %},
level_shares as (
    select
        attribute,
        level,
        sum(row_count * share order by code) / sum(row_count) as share,
        sum(row_count) as cell_count
    from label_shares
    group by attribute, level
),
suppressed_cells as (
{% filter indent(4, first=true) %}{% set suppressed_only = true %}{% include "utility/_cells.sql" %}{% endfilter %}

),
suppressed_shares as (
    -- one row per node and attribute with suppressed rows: what they cost more
    select
        suppressed_cells.node,
        suppressed_cells.attribute,
        sum(
            suppressed_cells.class_size * (label_shares.whole - label_shares.share)
            order by label_shares.code
        ) as share
    from suppressed_cells
    inner join label_shares
        on label_shares.attribute = suppressed_cells.attribute
        and label_shares.level = suppressed_cells.level
        and label_shares.code = suppressed_cells.code
    group by suppressed_cells.node, suppressed_cells.attribute
)
select
    node_levels.node,
    sum(
        attribute_weights.weight
            * (level_shares.share + coalesce(suppressed_shares.share, 0) / level_shares.cell_count)
        order by node_levels.attribute
    ) / sum(attribute_weights.weight) as cost,
    sum(attribute_weights.weight * level_shares.share order by node_levels.attribute)
        / sum(attribute_weights.weight) as lower_bound
from node_levels
inner join attribute_weights on attribute_weights.attribute = node_levels.attribute
inner join level_shares
    on level_shares.attribute = node_levels.attribute
    and level_shares.level = node_levels.level
left join suppressed_shares
    on suppressed_shares.node = node_levels.node
    and suppressed_shares.attribute = node_levels.attribute
group by node_levels.node
