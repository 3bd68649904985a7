{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro beta_likeness_sql(classes=none, class_values=none, table_values=none, class_key=none, attribute=none, kind=none, beta=none, promise=none, source=none) -%}
{% call sqlanon.comments_wrapped("-- beta_likeness, " ~ sqlanon.comment(kind) ~ ": ", width=86) %}{{ sqlanon.comment(promise) }}
{% endcall %}-- source:  {{ sqlanon.comment(source) }}
{% call sqlanon.comments_wrapped("-- reads:   ", width=86) %}{{ classes }}, {{ class_values }}, {{ table_values }} of {{ sqlanon.comment(attribute) }}
{% endcall %}-- returns: one row per equivalence class
--   largest_gain   largest (share in class - share in table) / share in table; 0 if no
--                  share is larger in the class
--   satisfied      every gain <= {{ sqlanon.number(beta) }}{{ " and <= -ln(share in table)" if kind == "enhanced" }},
--                  within a tolerance of 1e-9; never null
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        table_values.value,
        table_values.row_count / cast(table_values.table_size as {{ sqlanon.double() }}) as share
    from {{ sqlanon.keys_named(table_values, "table_values") }}
),
gains as (
    select
{{ sqlanon.keys_select("classes", class_key, true) }}        class_values.value_count,
        classes.class_size * table_shares.share as expected_count,
        class_values.value_count / (classes.class_size * table_shares.share)
            - 1 as gain,
{%- if kind == "enhanced" %}
        least({{ sqlanon.number(beta) }}, -ln(table_shares.share)) as largest_allowed
{%- else %}
        {{ sqlanon.number(beta) }} as largest_allowed
{%- endif %}
    from {{ sqlanon.keys_named(class_values, "class_values") }}
    inner join table_shares
        on table_shares.value = class_values.value
    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) }}),
class_gains as (
    select
{{ sqlanon.keys_select("gains", class_key, true) }}        greatest(max(gains.gain), 0) as largest_gain,
        bool_and(
            gains.gain <= 0.000000001
                or gains.gain <= gains.largest_allowed + 0.000000001
        ) as satisfied
    from gains
    group by {{ sqlanon.keys_list("gains", class_key) }}
)
select
{{ sqlanon.keys_select("class_gains", class_key) }}    class_gains.largest_gain,
    class_gains.satisfied
from class_gains
{%- endmacro %}
