-- generalized_values: every label of every level, with the values that it stands for
-- reads:   hierarchy_levels, level_codes, value_codes
-- returns: one row per attribute, level and label
--   code             key & mask of the values with this label
--   leaf_count       values of the hierarchy below the label     [values]
--   data_leaf_count  those of them that occur in the source      [values]
--   row_count        source rows below the label                 [rows]
-- nulls:   the label of a missing value is null below the top
with coded_labels as (
    select
        hierarchy_levels.attribute,
        hierarchy_levels.level,
        value_codes.key_1 & level_codes.mask as code,
        hierarchy_levels.label,
        value_codes.row_count
    from sqlanon.hierarchy_levels
    inner join sqlanon.level_codes
        on level_codes.attribute = hierarchy_levels.attribute
        and level_codes.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
)
select
    attribute,
    level,
    code,
    min(label) as label,
    count(*) as leaf_count,
    count(*) filter (where row_count > 0) as data_leaf_count,
    cast(sum(row_count) as bigint) as row_count
from coded_labels
group by attribute, level, code
