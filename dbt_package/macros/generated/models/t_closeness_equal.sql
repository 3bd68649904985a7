{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro t_closeness_equal_sql(classes=none, class_values=none, table_values=none, class_key=none, table_scope=[], excess=false, unit=none, attribute=none, t=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- t_closeness_equal: ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", " ~ class_values ~ ", " ~ table_values ~ " of " ~ sqlanon.comment(attribute)) }}
-- returns: one row per equivalence class
--   distance    half the sum over all values of |share in class - share in table|; only
--               values above their share in the table are summed, because the others
--               make up the other half   [0 to 1]
{%- if unit %}
--               infinite if a person has several values in the class or in the table
{%- endif %}
--   satisfied   distance <= {{ sqlanon.number(t) }}, within a tolerance of 1e-9; never null
{%- if excess %}
{{ sqlanon.keys_excess_title() }}
--                 the distance is convex and at most 1: if kept parts are at t and a share x
--                 of the rows is left out, it is at most (1 - x) t + x
{%- endif %}
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
{%- set distances = "judged_distances" if unit else "class_distances" %}
{%- if unit %}
,
table_totals as (
    select
{{ sqlanon.keys_select("table_values", table_scope, true) if table_scope }}        sum(table_values.row_count) > max(table_values.table_size) as has_several
    from {{ sqlanon.keys_named(table_values, "table_values") }}
{%- if table_scope %}
    group by {{ sqlanon.keys_list("table_values", table_scope) }}
{%- endif %}
),
class_totals as (
    -- has_several: persons with several values are there, so that shares sum to more than 1
    select
{{ sqlanon.keys_select("classes", class_key, true) }}        bool_or(table_totals.has_several)
            or sum(class_values.value_count) > classes.class_size as has_several
    from {{ sqlanon.keys_named(class_values, "class_values") }}
    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) }}    {{ "inner" if table_scope else "cross" }} join table_totals
{{ sqlanon.keys_join("table_totals", "classes", table_scope, true) }}    group by {{ sqlanon.keys_list("classes", class_key, last=["classes.class_size"]) }}
),
judged_distances as (
    select
{{ sqlanon.keys_select("class_distances", class_key, true) }}        class_distances.class_size,
        case
            when class_totals.has_several then cast('infinity' as {{ sqlanon.double() }})
            else class_distances.distance
        end as distance
    from class_distances
    inner join class_totals
{{ sqlanon.keys_join("class_totals", "class_distances", class_key, true) }})
{%- endif %}
select
{{ sqlanon.keys_select(distances, class_key) }}    {{ distances }}.distance,
{%- if excess %}
    case when {{ distances }}.distance <= {{ sqlanon.number(t) }} + 0.000000001 then 0
{%- if unit %}
        when {{ distances }}.distance > 2 then 1
{%- endif %}
        else greatest(
            1,
            ceil(
                {{ distances }}.class_size
                    * ({{ distances }}.distance - {{ sqlanon.number(t) }} - 0.000000001)
                    / (1 - {{ sqlanon.number(t) }})
                    - 0.000001
            )
        )
    end as excess_rows,
{%- endif %}
    {{ distances }}.distance <= {{ sqlanon.number(t) }} + 0.000000001 as satisfied
from {{ distances }}
{%- endmacro %}
