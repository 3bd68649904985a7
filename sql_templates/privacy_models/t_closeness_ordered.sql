{#- inputs: classes str, class_values str, table_values str, class_key list[str], table_scope list[str], excess bool, unit bool, attribute str, t Decimal, promise str, source str -#}
{{ sqlanon.comments_head("-- t_closeness_ordered: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", " ~ class_values ~ ", " ~ table_values ~ " of " ~ sqlanon.comment(attribute)) }}
-- returns: one row per equivalence class
--   distance    sum over the table's values, in order, of |share up to the value in the
--               class - in the table| / (number of values - 1); 0 for a single value
--               [0 to 1]
{% if unit %}
--               infinite if a person has several values in the class or in the table
{% endif %}
--   satisfied   distance <= {{ sqlanon.number(t) }}, within a tolerance of 1e-9; never null
{% if excess %}
{{ sqlanon.keys_excess_title() }}
--                 the distance is convex and at most 1: if kept parts are at t and a share x
--                 of the rows is left out, it is at most (1 - x) t + x
{% endif %}
-- nulls:   a missing value is a value of its own, the last in order
with table_shares as (
    select
{{ sqlanon.keys_select("table_values", table_scope, true) }}        table_values.value,
        table_values.place,
        table_values.row_count / cast(table_values.table_size as {{ sqlanon.double() }}) as share,
        nullif(
            count(*) over ({{ sqlanon.keys_partition("table_values", table_scope) }}) - 1,
            0
        ) as step_count
    from {{ sqlanon.keys_named(table_values, "table_values") }}
),
class_places as (
    -- every value of the table for every class, present or not
    select
{{ sqlanon.keys_select("classes", class_key, true) }}        classes.class_size,
        table_shares.step_count,
        sum(
            coalesce(class_values.value_count, 0) / cast(classes.class_size as {{ sqlanon.double() }})
                - table_shares.share
        ) over (
            partition by {{ sqlanon.keys_list("classes", class_key) }}
            order by table_shares.place
            rows between unbounded preceding and current row
        ) as moved_share
    from {{ sqlanon.keys_named(classes, "classes") }}
    {{ "inner" if table_scope else "cross" }} join table_shares
{{ sqlanon.keys_join("table_shares", "classes", table_scope, true) }}    left join {{ class_values }} as class_values
{{ sqlanon.keys_join("class_values", "classes", class_key, true) }}        and class_values.value = table_shares.value
),
class_distances as (
    select
{{ sqlanon.keys_select("class_places", class_key, true) }}        class_places.class_size,
        coalesce(
            sum(abs(class_places.moved_share)) / min(class_places.step_count),
            0
        ) as distance
    from class_places
    group by {{ sqlanon.keys_list("class_places", class_key, last=["class_places.class_size"]) }}
)
{% include "privacy_models/_t_closeness.sql" %}
