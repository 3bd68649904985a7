{#- inputs: classes, class_values, table_values, class_key, attribute str, kind str, beta Decimal, promise, source -#}
{% import "_keys.sql" as keys %}
-- beta_likeness, {{ kind }}: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ class_values }}, {{ table_values }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   largest_gain   largest (share in class - share in table) / share in table, 0 if none grew
--   satisfied      {{ "every gain <= " ~ (beta | number) ~ (" and <= -ln(share in table)" if kind == "enhanced" else "") }}, to a tolerance of 1e-9, never null
-- nulls:   a missing value is a value of its own
with table_sizes as (
    select cast(sum(row_count) as double) as table_size
    from {{ table_values }} as table_values
),
gains as (
    select
{{ keys.select("classes", class_key) | indent(4, first=true) -}}
{{ "        " }}classes.class_size,
        class_values.value_count * table_sizes.table_size
            / (cast(classes.class_size as double) * table_values.row_count) - 1 as gain,
{% if kind == "enhanced" %}
        least({{ beta | number }}, -ln(table_values.row_count / table_sizes.table_size)) as largest_allowed
{% else %}
        {{ beta | number }} as largest_allowed
{% endif %}
    from {{ classes }} as classes
    inner join {{ class_values }} as class_values
{{ keys.join("class_values", "classes", class_key) | indent(4, first=true) -}}
{{ "    " }}inner join {{ table_values }} as table_values on table_values.value = class_values.value
    cross join table_sizes
)
select
{{ keys.select("gains", class_key) -}}
{{ "    " }}gains.class_size,
    greatest(max(gains.gain), 0) as largest_gain,
    bool_and(gains.gain <= 0 or gains.gain <= gains.largest_allowed + 0.000000001) as satisfied
from gains
group by {{ keys.list("gains", class_key) | trim }}, gains.class_size
