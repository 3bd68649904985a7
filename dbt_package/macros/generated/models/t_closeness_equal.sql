{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro t_closeness_equal_sql(value_classes=none, class_values=none, table_values=none, class_key=none, attribute=none, t=none, promise=none, source=none) -%}
{% call sqlanon.comments_wrapped("-- t_closeness_equal: ", width=86) %}{{ sqlanon.comment(promise) }}
{% endcall %}-- source:  {{ sqlanon.comment(source) }}
{% call sqlanon.comments_wrapped("-- reads:   ", width=86) %}{{ value_classes }}, {{ class_values }}, {{ table_values }} of {{ sqlanon.comment(attribute) }}
{% endcall %}-- returns: one row per equivalence class
--   distance    half the sum over all values of |share in class - share in table|; only
--               values above their share in the table are summed, because the others
--               make up the other half   [0 to 1]
--   satisfied   distance <= {{ sqlanon.number(t) }}, within a tolerance of 1e-9; never null
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        
        table_values.value,
        table_values.row_count
            / sum(cast(table_values.row_count as {{ sqlanon.double() }}))
            over () as share
    from {{ sqlanon.keys_named(table_values, "table_values") }}
),
class_distances as (
    select
{{ sqlanon.keys_select("classes", class_key, true) }}        classes.class_size,
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
    inner join {{ sqlanon.keys_named(value_classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) }}    group by {{ sqlanon.keys_list("classes", class_key, last=["classes.class_size"]) }}
)
select
{{ sqlanon.keys_select("class_distances", class_key) }}    class_distances.distance,
    class_distances.distance <= {{ sqlanon.number(t) }} + 0.000000001 as satisfied
from class_distances
{%- endmacro %}
