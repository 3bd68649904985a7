{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro average_risk_sql(classes=none, class_key=none, scope=[], unit=none, threshold=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- average_risk: ", promise, source) }}
-- reads:   {{ classes }}, one row per equivalence class
-- returns: one row per equivalence class
--   average_risk  classes / {{ "persons" if unit else "rows" }}, for this class and the larger ones   [0 to 1]
--   satisfied     average_risk <= {{ sqlanon.number(threshold) }}, compared exactly; never null: if the risk
--                 of the whole table is too high, the smallest classes fail; of classes
--                 of equal size the last by key
-- nulls:   a null quasi-identifier is a value of its own
with larger_classes as (
    select
{{ sqlanon.keys_select("classes", class_key, true) }}        count(*) over larger as class_count,
        cast(sum(classes.class_size) over larger as bigint) as row_count
    from {{ sqlanon.keys_named(classes, "classes") }}
    window larger as (
{%- if scope %}
        partition by {{ sqlanon.keys_list("classes", scope) }}
{%- endif %}
        order by {{ sqlanon.keys_list("classes", class_key, ["classes.class_size desc"]) }}
        rows between unbounded preceding and current row
    )
)
select
{{ sqlanon.keys_select("larger_classes", class_key) }}    cast(larger_classes.class_count as {{ sqlanon.double() }}) / larger_classes.row_count as average_risk,
    larger_classes.class_count <= {{ sqlanon.number(threshold) }} * larger_classes.row_count as satisfied
from larger_classes
{%- endmacro %}
