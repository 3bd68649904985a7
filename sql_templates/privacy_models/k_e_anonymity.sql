{#- inputs: classes, class_values, table_values, class_key, attribute str, k int, e Decimal, promise, source -#}
{% import "_keys.sql" as keys %}
-- k_e_anonymity: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ class_values }}, {{ table_values }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   value_range   largest minus smallest number in the class
--   satisfied     different numbers >= {{ k | number }} and value_range >= {{ e | number }}, never null
-- nulls:   a missing value is no number: it counts neither as a value nor for the range
select
{{ keys.select("classes", class_key) -}}
{{ "    " }}classes.class_size,
    coalesce(max(table_values.number) - min(table_values.number), 0) as value_range,
    count(distinct table_values.number) >= {{ k | number }}
        and coalesce(max(table_values.number) - min(table_values.number) >= {{ e | number }}, false) as satisfied
from {{ classes }} as classes
inner join {{ class_values }} as class_values
{{ keys.join("class_values", "classes", class_key) -}}
inner join {{ table_values }} as table_values on table_values.value = class_values.value
group by {{ keys.list("classes", class_key) | trim }}, classes.class_size
