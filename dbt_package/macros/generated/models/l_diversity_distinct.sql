{# generated from sql_templates and sqlanon.privacy_models; change those, not this file #}
{% macro l_diversity_distinct_sql(class_values=none, class_key=none, attribute=none, l=none, promise=none, source=none) -%}
{% call sqlanon.comments_wrapped("-- l_diversity_distinct: ", width=86) %}{{ sqlanon.comment(promise) }}
{% endcall %}-- source:  {{ sqlanon.comment(source) }}
{% call sqlanon.comments_wrapped("-- reads:   ", width=86) %}{{ class_values }}, how often each value of {{ sqlanon.comment(attribute) }} occurs in each class
{% endcall %}-- returns: one row per equivalence class
--   diversity   different values   [values]
--   satisfied   diversity >= {{ sqlanon.number(l) }}; never null
-- nulls:   a missing value is a value of its own
{% set satisfied %}count(*) >= {{ sqlanon.number(l) }} as satisfied{% endset %}select {{ sqlanon.keys_list("", class_key) }}, count(*) as diversity, {{ satisfied }}
from {{ sqlanon.keys_named(class_values, "class_values") }}
group by {{ sqlanon.keys_list("", class_key) }}
{%- endmacro %}
