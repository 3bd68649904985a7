{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro beta_likeness_sql(classes=none, class_values=none, table_values=none, class_key=none, table_scope=[], excess=false, attribute=none, kind=none, beta=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- beta_likeness, " ~ sqlanon.comment(kind) ~ ": ", promise, source) }}
{{ sqlanon.comments_reads(classes ~ ", " ~ class_values ~ ", " ~ table_values ~ " of " ~ sqlanon.comment(attribute)) }}
-- returns: one row per equivalence class
--   largest_gain   largest (share in class - share in table) / share in table; 0 if no
--                  share is larger in the class
--   satisfied      every gain <= {{ sqlanon.number(beta) }}{{ " and <= -ln(share in table)" if kind == "enhanced" }},
--                  within a tolerance of 1e-9; never null
{%- if excess %}
{{ sqlanon.keys_excess_title() }}
--                 the rows of each value above its largest allowed share
{%- endif %}
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
{{ sqlanon.keys_select("table_values", table_scope, true) }}        table_values.value,
        table_values.row_count / cast(table_values.table_size as {{ sqlanon.double() }}) as share
    from {{ sqlanon.keys_named(table_values, "table_values") }}
),
gains as (
    select
{{ sqlanon.keys_select("class_values", class_key, true) }}        class_values.value_count,
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
{{ sqlanon.keys_also("table_shares", "class_values", table_scope) }}    inner join {{ sqlanon.keys_named(classes, "classes") }}
{{ sqlanon.keys_join("classes", "class_values", class_key, true) }}),
class_gains as (
    select
{{ sqlanon.keys_select("gains", class_key, true) }}        greatest(max(gains.gain), 0) as largest_gain,
{%- if excess %}
        sum(
            greatest(
                gains.value_count
                    - gains.expected_count * (1.000000001 + gains.largest_allowed),
                0
            )
        ) as excess_count,
{%- endif %}
        bool_and(
            gains.gain <= 0.000000001
                or gains.gain <= gains.largest_allowed + 0.000000001
        ) as satisfied
    from gains
    group by {{ sqlanon.keys_list("gains", class_key) }}
)
select
{{ sqlanon.keys_select("class_gains", class_key) }}    class_gains.largest_gain,
{%- if excess %}
    case
        when class_gains.satisfied then 0
        else greatest(1, ceil(class_gains.excess_count - 0.000001))
    end as excess_rows,
{%- endif %}
    class_gains.satisfied
from class_gains
{%- endmacro %}
