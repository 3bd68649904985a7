{#- inputs: classes, class_values, table_values, class_key, attribute str, t Decimal, promise, source -#}
{% import "_keys.sql" as keys %}
-- t_closeness, equal distance: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ class_values }}, {{ table_values }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   distance    half the sum over all values of |share in class - share in table|; only values
--               above their share count, as absent ones make up the other half   [0 to 1]
--   satisfied   distance <= {{ t | number }}, to a tolerance of 1e-9, never null
-- nulls:   a missing value is a value of its own
with table_sizes as (
    select cast(sum(row_count) as double) as table_size
    from {{ table_values }} as table_values
),
class_distances as (
    select
{{ keys.select("classes", class_key) | indent(4, first=true) -}}
{{ "        " }}classes.class_size,
        sum(greatest(
            cast(class_values.value_count as double) / classes.class_size
            - table_values.row_count / table_sizes.table_size, 0
        )) as distance
    from {{ classes }} as classes
    inner join {{ class_values }} as class_values
{{ keys.join("class_values", "classes", class_key) | indent(4, first=true) -}}
{{ "    " }}inner join {{ table_values }} as table_values on table_values.value = class_values.value
    cross join table_sizes
    group by {{ keys.list("classes", class_key) | trim }}, classes.class_size
)
select
{{ keys.select("class_distances", class_key) -}}
{{ "    " }}class_distances.class_size,
    class_distances.distance,
    class_distances.distance <= {{ t | number }} + 0.000000001 as satisfied
from class_distances
