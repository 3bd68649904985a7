{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro k_anonymity_sql(classes=none, class_key=none, unit=none, k=none, promise=none, source=none) -%}
{% call sqlanon.comments_wrapped("-- k_anonymity: ", width=86) %}{{ sqlanon.comment(promise) }}
{% endcall %}-- source:  {{ sqlanon.comment(source) }}
-- reads:   {{ classes }}, one row per equivalence class
-- returns: one row per equivalence class
--   class_size  {{ "persons" if unit else "rows" }} in the class   [{{ "persons" if unit else "rows" }}]
--   satisfied   class_size >= {{ sqlanon.number(k) }}; never null
-- nulls:   a null quasi-identifier is a value of its own
{% set satisfied %}class_size >= {{ sqlanon.number(k) }} as satisfied{% endset %}select {{ sqlanon.keys_list("", class_key) }}, class_size, {{ satisfied }}
from {{ sqlanon.keys_named(classes, "classes") }}
{%- endmacro %}
