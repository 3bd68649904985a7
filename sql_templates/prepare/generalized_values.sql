{#- inputs: hierarchies list[dict name attribute level_count word], words int -#}
-- generalized_values: every label of every level, with what it stands for
-- reads:   every hierarchy, value_codes, level_codes
-- returns: one row per attribute, level and label
--   code             key & mask of the values with this label
--   leaf_count       values of the hierarchy below the label     [values]
--   data_leaf_count  those of them that the source holds         [values]
--   row_count        source rows below the label                 [rows]
-- nulls:   the label of a missing value is null below the top
{% for hierarchy in hierarchies %}
{% if not loop.first %}
union all
{% endif %}
-- {{ hierarchy.attribute | comment }}
select
    level_codes.attribute,
    level_codes.level,
    value_codes.key_{{ hierarchy.word }} & level_codes.mask as code,
    min(case level_codes.level
{% for level in range(hierarchy.level_count) %}
        when {{ level }} then hierarchy.level_{{ level }}
{% endfor %}
    end) as label,
    count(*) as leaf_count,
    count(*) filter (where value_codes.row_count > 0) as data_leaf_count,
    cast(sum(value_codes.row_count) as bigint) as row_count
from sqlanon.{{ hierarchy.name | ident }} as hierarchy
inner join sqlanon.value_codes
    on value_codes.attribute = {{ hierarchy.attribute | text }}
    and value_codes.value is not distinct from hierarchy.level_0
inner join sqlanon.level_codes
    on level_codes.attribute = {{ hierarchy.attribute | text }}
group by
    level_codes.attribute,
    level_codes.level,
    value_codes.key_{{ hierarchy.word }} & level_codes.mask
{% endfor %}
