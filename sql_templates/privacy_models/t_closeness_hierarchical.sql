{#- inputs: classes str, class_values str, table_values str, value_levels str, class_key list[str], table_scope list[str], excess bool, unit bool, attribute str, t Decimal, promise str, source str -#}
{{ sqlanon.comments_head("-- t_closeness_hierarchical: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", " ~ class_values ~ ", " ~ table_values ~ ", " ~ value_levels ~ " of " ~ sqlanon.comment(attribute)) }}
-- returns: one row per equivalence class
--   distance    earth mover's distance between the shares in the class and in the
--               table, where the distance of two values is the height of their first
--               common label: the mean over all levels below the top of half the sum
--               over labels of |share in class - share in table|   [0 to 1]
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
with labels as (
    select value_levels.value, value_levels.level, value_levels.label
    from {{ sqlanon.keys_named(value_levels, "value_levels") }}
    where value_levels.level
        < (select max(level) from {{ sqlanon.keys_named(value_levels, "all_levels") }})
),
table_shares as (
    -- the share of each label in the table, repeated for every value below it
    select
{{ sqlanon.keys_select("table_values", table_scope, true) }}        labels.value,
        labels.level,
        dense_rank() over (
            order by labels.level, labels.label nulls last
        ) as label_number,
        sum(table_values.row_count) over (
            partition by
                {{ sqlanon.keys_partition("table_values", table_scope, true) }}labels.level,
                labels.label
        )
            / cast(table_values.table_size as {{ sqlanon.double() }}) as share
    from labels
    inner join {{ sqlanon.keys_named(table_values, "table_values") }}
        on table_values.value = labels.value
),
class_shares as (
    -- labels that occur in the class; only those above their share are summed below
    select
{{ sqlanon.keys_select("class_values", class_key, true) }}        classes.class_size,
        sum(class_values.value_count) / cast(classes.class_size as {{ sqlanon.double() }})
            - min(table_shares.share) as surplus
    from {{ sqlanon.keys_named(class_values, "class_values") }}
    inner join table_shares
        on table_shares.value = class_values.value
{{ sqlanon.keys_also("table_shares", "class_values", table_scope) }}    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) }}    group by {{ sqlanon.keys_list("class_values", class_key, last=["classes.class_size", "table_shares.label_number"]) }}
),
class_distances as (
    select
{{ sqlanon.keys_select("class_shares", class_key, true) }}        class_shares.class_size,
        coalesce(
            sum(greatest(class_shares.surplus, 0))
                / (select count(distinct level) from labels),
            0
        ) as distance
    from class_shares
    group by {{ sqlanon.keys_list("class_shares", class_key, last=["class_shares.class_size"]) }}
)
{% include "privacy_models/_t_closeness.sql" %}
