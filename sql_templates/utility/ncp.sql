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
{% if scales %}
scales (attribute, kind) as (
    -- one row per attribute that may be of numbers or dates
    values
{% for attribute, kind in scales %}
        ({{ attribute | text }}, {{ kind | text }}){{ "," if not loop.last }}
{% endfor %}
),
read_values as (
    -- one row per attribute and value: the number and the day that it is
    select
        source_values.attribute,
        source_values.value,
        scales.kind,
        case
            when isfinite(try_cast(source_values.value as double))
                then try_cast(source_values.value as double)
        end as number,
        case
            when isfinite(try_cast(source_values.value as timestamp))
                then epoch(try_cast(source_values.value as timestamp)) / 86400
        end as day
    from sqlanon.source_values
    inner join scales on scales.attribute = source_values.attribute
),
measured_attributes as (
    -- one row per attribute of which every value is a number, or every value a date
    select attribute, count(value) = count(number) and kind in ('numeric', 'any') as is_numeric
    from read_values
    group by attribute, kind
    having count(value) = count(number) and kind in ('numeric', 'any')
        or count(value) = count(day) and kind in ('date', 'any')
),
positions as (
    select
        read_values.attribute,
        read_values.value,
        case
            when measured_attributes.is_numeric then read_values.number
            else read_values.day
        end as position
    from read_values
    inner join measured_attributes on measured_attributes.attribute = read_values.attribute
),
ranges as (
    select attribute, min(position) as lowest, max(position) - min(position) as length
    from positions
    group by attribute
),
label_ranges as (
    -- one row per attribute, level and label with values of the source
    select
        hierarchy_levels.attribute,
        hierarchy_levels.level,
        hierarchy_levels.label,
        max(coalesce(positions.position, ranges.lowest))
            - min(coalesce(positions.position, ranges.lowest)) as length
    from sqlanon.hierarchy_levels
    inner join positions
        on positions.attribute = hierarchy_levels.attribute
        and positions.value is not distinct from hierarchy_levels.value
    inner join ranges on ranges.attribute = hierarchy_levels.attribute
    group by hierarchy_levels.attribute, hierarchy_levels.level, hierarchy_levels.label
),
{% endif %}
domains as (
    -- one row per attribute: its values, and its range if it has one
    select
        generalized_values.attribute,
        sum(generalized_values.leaf_count) as leaf_count,
{% if scales %}
        min(ranges.attribute) is not null as is_measured,
        coalesce(min(ranges.length), 0) as length
    from sqlanon.generalized_values
    left join ranges on ranges.attribute = generalized_values.attribute
{% else %}
        false as is_measured,
        0 as length
    from sqlanon.generalized_values
{% endif %}
    where generalized_values.level = 0
    group by generalized_values.attribute
),
label_shares as (
    -- one row per attribute, level and label: what it covers, and what a suppressed cell costs
    select
        generalized_values.attribute,
        generalized_values.level,
        generalized_values.code,
        generalized_values.row_count,
        case
{% if scales %}
            when domains.is_measured
                then coalesce(label_ranges.length / nullif(domains.length, 0), 0)
{% endif %}
            when generalized_values.leaf_count = 1 then 0
            else cast(generalized_values.leaf_count as double) / domains.leaf_count
        end as share,
        case
            when domains.is_measured and domains.length > 0 then 1
            when not domains.is_measured and domains.leaf_count > 1 then 1
            else 0
        end as whole
    from sqlanon.generalized_values
    inner join domains on domains.attribute = generalized_values.attribute
{% if scales %}
    left join label_ranges
        on label_ranges.attribute = generalized_values.attribute
        and label_ranges.level = generalized_values.level
        and label_ranges.label is not distinct from generalized_values.label
{% endif %}
),
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
