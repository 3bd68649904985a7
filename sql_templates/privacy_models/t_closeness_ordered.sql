{#- inputs: classes, class_values, table_values, class_key, attribute str, t Decimal, promise, source -#}
{% import "_keys.sql" as keys %}
-- t_closeness, ordered distance: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ class_values }}, {{ table_values }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   distance    sum over the table's values, in order, of |share up to the value in class - in
--               table|, over (number of values - 1); 0 for a single value   [0 to 1]
--   satisfied   distance <= {{ t | number }}, to a tolerance of 1e-9, never null
-- nulls:   a missing value is a value of its own, the last in order
with table_sizes as (
    select cast(sum(row_count) as double) as table_size, count(*) as value_count
    from {{ table_values }} as table_values
),
class_places as (
    -- every value of the table for every class, present or not
    select
{{ keys.select("classes", class_key) | indent(4, first=true) -}}
{{ "        " }}classes.class_size,
        sum(
            coalesce(class_values.value_count, 0) / cast(classes.class_size as double)
            - table_values.row_count / table_sizes.table_size
        ) over (
            partition by {{ keys.list("classes", class_key) | trim }}
            order by table_values.place
            rows between unbounded preceding and current row
        ) as moved_share
    from {{ classes }} as classes
    cross join {{ table_values }} as table_values
    cross join table_sizes
    left join {{ class_values }} as class_values
{{ keys.join("class_values", "classes", class_key) | indent(4, first=true) -}}
{{ "        " }}and class_values.value = table_values.value
),
class_distances as (
    select
{{ keys.select("class_places", class_key) | indent(4, first=true) -}}
{{ "        " }}class_places.class_size,
        coalesce(sum(abs(class_places.moved_share)) / nullif(min(table_sizes.value_count) - 1, 0), 0)
            as distance
    from class_places
    cross join table_sizes
    group by {{ keys.list("class_places", class_key) | trim }}, class_places.class_size
)
select
{{ keys.select("class_distances", class_key) -}}
{{ "    " }}class_distances.class_size,
    class_distances.distance,
    class_distances.distance <= {{ t | number }} + 0.000000001 as satisfied
from class_distances
