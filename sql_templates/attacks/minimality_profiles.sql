{#- inputs: title str, class_values str, table_values str, class_key list[str], groups str, values list[str], most_rows int -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: what is counted in each class: its groups and the rows with a value
-- reads:   {{ groups }}, {{ class_values }}{{ ", " ~ table_values if values }}
-- returns: one row per class of at most {{ most_rows }} rows, and protected value
--   profile      group sizes with the number of groups of each size, such as 2x1,4x1
--   value_count  rows with the value
with class_groups as (
    select
{{ keys.select("groups", class_key, true) }}        groups.class_size,
        string_agg(
            groups.group_size || 'x' || groups.group_count,
            ',' order by groups.group_size
        ) as profile
    from sqlanon.{{ groups }} as groups
    where groups.class_size <= {{ most_rows }}
    group by {{ keys.list("groups", class_key, last=["groups.class_size"]) }}
)
select
{{ keys.select("class_groups", class_key) }}    class_groups.class_size,
    class_groups.profile,
    class_values.value,
    class_values.value_count
from class_groups
inner join {{ keys.named(class_values, "class_values") }}
{{ keys.join("class_values", "class_groups", class_key) }}{% if values %}
inner join {{ keys.named(table_values, "table_values") }}
    on table_values.value = class_values.value
    and table_values.text in ({{ keys.texts(values) }})
{% endif %}
