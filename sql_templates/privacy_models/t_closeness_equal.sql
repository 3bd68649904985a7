{#- inputs: classes str, class_values str, table_values str, class_key list[str], table_scope list[str], excess bool, unit bool, attribute str, t Decimal, promise str, source str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% call comments.wrapped("-- t_closeness_equal: ", width=86) %}
{{ promise | comment }}
{% endcall %}
-- source:  {{ source | comment }}
{% call comments.wrapped("-- reads:   ", width=86) %}
{{ classes }}, {{ class_values }}, {{ table_values }} of {{ attribute | comment }}
{% endcall %}
-- returns: one row per equivalence class
--   distance    half the sum over all values of |share in class - share in table|; only
--               values above their share in the table are summed, because the others
--               make up the other half   [0 to 1]
{% if unit %}
--               infinite if a person has several values in the class or in the table
{% endif %}
--   satisfied   distance <= {{ t | number }}, within a tolerance of 1e-9; never null
{% if excess %}
{{ keys.excess_title() }}
--                 the distance is convex and at most 1: if kept parts are at t and a share x
--                 of the rows is left out, it is at most (1 - x) t + x
{% endif %}
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
{{ keys.select("table_values", table_scope, true) }}        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share
    from {{ keys.named(table_values, "table_values") }}
),
class_distances as (
    select
{{ keys.select("classes", class_key, true) }}        classes.class_size,
        sum(
            greatest(
                class_values.value_count / cast(classes.class_size as double)
                    - table_shares.share,
                0
            )
        ) as distance
    from {{ keys.named(class_values, "class_values") }}
    inner join table_shares
        on table_shares.value = class_values.value
{{ keys.also("table_shares", "class_values", table_scope) }}    inner join {{ keys.named(classes, "classes") }}
{{ keys.join("classes", "class_values", class_key, true) }}    group by {{ keys.list("classes", class_key, last=["classes.class_size"]) }}
)
{% include "privacy_models/_t_closeness.sql" %}
