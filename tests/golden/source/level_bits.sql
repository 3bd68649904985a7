-- level_bits: the width of the code of each level of each hierarchy
-- reads:   hierarchy_levels
-- returns: one row per attribute and level
--   bits    bits needed to distinguish the labels below one coarser label   [bits]
with largest_positions as (
    select attribute_number, attribute, level, max(label_position) as largest_position
    from sqlanon.hierarchy_levels
    group by attribute_number, attribute, level
)
select
    attribute_number,
    attribute,
    level,
    (
        select count(*)
        from range(62) as digits (digit)
        where (cast(1 as bigint) << digits.digit) <= largest_positions.largest_position
    ) as bits
from largest_positions
order by attribute_number, level
