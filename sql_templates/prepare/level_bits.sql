{#- inputs: hierarchies list[dict name attribute level_count] -#}
-- level_bits: how wide the code of each hierarchy is, level by level
-- reads:   every hierarchy
-- returns: one row per attribute and level
--   bits    binary digits that tell apart the labels below one coarser label   [bits]
with positions as (
{% for hierarchy in hierarchies %}
{% set attribute_number = loop.index %}
{% for level in range(hierarchy.level_count - 1) %}
    select {{ attribute_number }} as attribute_number, {{ hierarchy.attribute | text }} as attribute, {{ level }} as level, max(position_{{ level }}) as largest_position
    from sqlanon.{{ hierarchy.name | ident }}
    union all
{% endfor %}
    select {{ attribute_number }}, {{ hierarchy.attribute | text }}, {{ hierarchy.level_count - 1 }}, 0
{% if not loop.last %}
    union all
{% endif %}
{% endfor %}
)
select
    positions.attribute_number,
    positions.attribute,
    positions.level,
    (
        select count(*)
        from range(62) as digits (digit)
        where (cast(1 as bigint) << digits.digit) <= positions.largest_position
    ) as bits
from positions
order by positions.attribute_number, positions.level
