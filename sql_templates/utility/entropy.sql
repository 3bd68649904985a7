{#- inputs: suppressed_rows str, words int, classes str -#}
-- entropy: bits of the original values lost by generalization (non-uniform entropy, Gionis and
--   Tassa 2009)
-- reads:   {{ classes }}, node_levels, level_codes, generalized_values, level_measures
-- returns: one row per node
--   cost   sum over cells of -log2(rows of the value / rows of its label)   [bits]
{% if suppressed_rows == "charged" %}
--          and over suppressed rows of -log2(suppressed rows of the label / suppressed rows)
with suppressed_cells as (
{% filter indent(4, first=true) %}{% set suppressed_only = true %}{% include "utility/_cells.sql" %}{% endfilter %}

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
{% else %}
with node_bits as (
{% endif %}
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
{% if suppressed_rows == "charged" %}
    node_bits.bits + coalesce(suppressed_bits.bits, 0) as cost,
    node_bits.bits as lower_bound
from node_bits
left join suppressed_bits on suppressed_bits.node = node_bits.node
{% else %}
    node_bits.bits as cost,
    node_bits.bits as lower_bound
from node_bits
{% endif %}
