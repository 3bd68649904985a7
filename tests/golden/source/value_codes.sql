-- value_codes: the packed key of every value, and the number of source rows with the value
-- reads:   hierarchy_levels, level_codes, source_values
-- returns: one row per attribute and value
--   key_1       the value's bits in key 1; 0 if the attribute is in another key
--   key_2       the value's bits in key 2; 0 if the attribute is in another key
--   row_count   source rows with this value   [rows]
with packed_values as (
    select
        hierarchy_levels.attribute,
        hierarchy_levels.value,
        cast(
            sum(
                case
                    when level_codes.word = 1
                        then hierarchy_levels.label_position << level_codes.shift
                    else 0
                end
            ) as bigint
        ) as key_1,
        cast(
            sum(
                case
                    when level_codes.word = 2
                        then hierarchy_levels.label_position << level_codes.shift
                    else 0
                end
            ) as bigint
        ) as key_2
    from sqlanon.hierarchy_levels
    inner join sqlanon.level_codes
        on level_codes.attribute = hierarchy_levels.attribute
        and level_codes.level = hierarchy_levels.level
    group by hierarchy_levels.attribute, hierarchy_levels.value
)
select
    packed_values.*,
    coalesce(source_values.row_count, 0) as row_count
from packed_values
left join sqlanon.source_values
    on source_values.attribute = packed_values.attribute
    and source_values.value is not distinct from packed_values.value
