{#- inputs: classes str, class_values str, table_values str, class_key list[str], table_scope list[str], excess bool, unit bool, attribute str, t Decimal, promise str, source str -#}
{{ sqlanon.comments_head("-- t_closeness_equal: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", " ~ class_values ~ ", " ~ table_values ~ " of " ~ sqlanon.comment(attribute)) }}
-- returns: one row per equivalence class
--   distance    half the sum over all values of |share in class - share in table|; only
--               values above their share in the table are summed, because the others
--               make up the other half   [0 to 1]
{% if unit %}
--               infinite if a person has several values in the class or in the table
{% endif %}
--   satisfied   distance <= {{ sqlanon.number(t) }}, within a tolerance of 1e-9; never null
{% if excess %}
{{ sqlanon.keys_excess_title() }}
--                 the distance is convex and at most 1: if kept parts are at t and a share x
--                 of the rows is left out, it is at most (1 - x) t + x
{% endif %}
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
{{ sqlanon.keys_select("table_values", table_scope, true) }}        table_values.value,
        table_values.row_count / cast(table_values.table_size as {{ sqlanon.double() }}) as share
    from {{ sqlanon.keys_named(table_values, "table_values") }}
),
class_distances as (
    select
{{ sqlanon.keys_select("class_values", class_key, true) }}        classes.class_size,
        sum(
            greatest(
                class_values.value_count / cast(classes.class_size as {{ sqlanon.double() }})
                    - table_shares.share,
                0
            )
        ) as distance
    from {{ sqlanon.keys_named(class_values, "class_values") }}
    inner join table_shares
        on table_shares.value = class_values.value
{{ sqlanon.keys_also("table_shares", "class_values", table_scope) }}    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) }}    group by {{ sqlanon.keys_list("class_values", class_key, last=["classes.class_size"]) }}
)
{% include "privacy_models/_t_closeness.sql" %}
