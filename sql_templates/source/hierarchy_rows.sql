{#- inputs: name str, attribute str, level_count int -#}
-- hierarchy_rows: the hierarchy of {{ attribute | comment }}, from the top down, with the source's rows
-- reads:   {{ name | comment }}, source_values
-- returns: one row per value, in the order of numbers, then of texts
--   row_count   source rows with this value; 0 if only the hierarchy has it   [rows]
-- nulls:   a missing value comes last
with labels as (
    select
        *,
        try_cast(level_0 as double) as number
    from sqlanon.{{ name | ident }}
)
select
{% for level in range(level_count) | reverse %}
    labels.level_{{ level }},
{% endfor %}
    coalesce(source_values.row_count, 0) as row_count
from labels
left join sqlanon.source_values
    on source_values.attribute = {{ attribute | text }}
    and source_values.value is not distinct from labels.level_0
order by labels.number nulls last, {% for level in range(level_count) | reverse %}labels.level_{{ level }} nulls last{{ ", " if not loop.last }}{% endfor %}

