{#- inputs: attribute str, level_count int, titles list[str], rule str, rule_inputs, -#}
-- {{ name | comment }}: generalization hierarchy of {{ attribute | comment }}
{% for title in titles %}
--   level {{ loop.index0 }}  {{ title | comment }}
{% endfor %}
-- returns: one row per value
--   level_0 .. level_{{ level_count - 1 }}        the value, and what it becomes at each level
--   position_0 .. position_{{ level_count - 2 }}  place of the label among those below the same coarser one
-- nulls:   null stays null below the top, and has a row if the source holds one
with source_values as (
    select cast({{ attribute | ident }} as varchar) as value
    from sqlanon.source_combinations
    group by {{ attribute | ident }}
),
known_values as (
    select value
    from source_values
    where value is not null
),
labels as (
{{ rule }}
),
tops as (
    select min(level_{{ level_count - 1 }}) as top_label
    from labels
),
complete_labels as (
    select *
    from labels
    where level_0 is not null
    union all
    select
{% for level in range(level_count - 1) %}
        null,
{% endfor %}
        coalesce(tops.top_label, '*')
    from source_values
    cross join tops
    where source_values.value is null
)
select
{% for level in range(level_count) %}
    level_{{ level }},
{% endfor %}
{% for level in range(level_count - 1) %}
    dense_rank() over (
        partition by level_{{ level + 1 }} order by level_{{ level }}
    ) - 1 as position_{{ level }}{{ "," if not loop.last }}
{% endfor %}
from complete_labels
