{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro k_anonymity_sql(classes=none, class_key=none, excess=false, unit=none, k=none, promise=none, source=none) -%}
{{ sqlanon.comments_head("-- k_anonymity: ", promise, source) }}
{# the rest of a promise of k members a class #}
-- reads:   {{ classes }}, one row per equivalence class
-- returns: one row per equivalence class
--   class_size  {{ "persons" if unit else "rows" }} in the class   [{{ "persons" if unit else "rows" }}]
--   satisfied   class_size >= {{ sqlanon.number(k) }}; never null
{%- if excess %}
{{ sqlanon.keys_excess_title() }}
{%- endif %}
-- nulls:   a null quasi-identifier is a value of its own
{%- set satisfied %}class_size >= {{ sqlanon.number(k) }} as satisfied{% endset %}
{%- if excess %}
select
{{ sqlanon.keys_select("classes", class_key) }}    classes.class_size,
    case
        when classes.class_size >= {{ sqlanon.number(k) }} then 0
        else classes.class_size
    end as excess_rows,
    classes.{{ satisfied }}
{%- else %}
select {{ sqlanon.keys_list("", class_key) }}, class_size, {{ satisfied }}
{%- endif %}
from {{ sqlanon.keys_named(classes, "classes") }}
{%- endmacro %}
