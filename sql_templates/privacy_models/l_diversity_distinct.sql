{#- inputs: classes, class_values, class_key, attribute str, l Decimal, promise, source -#}
{% import "_keys.sql" as keys %}
-- l_diversity, distinct: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ class_values }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   diversity   different values   [values]
--   satisfied   diversity >= {{ l | number }}, never null
-- nulls:   a missing value is a value of its own
select
{{ keys.select("classes", class_key) -}}
{{ "    " }}classes.class_size,
    count(*) as diversity,
    count(*) >= {{ l | number }} as satisfied
from {{ classes }} as classes
inner join {{ class_values }} as class_values
{{ keys.join("class_values", "classes", class_key) -}}
group by {{ keys.list("classes", class_key) | trim }}, classes.class_size
