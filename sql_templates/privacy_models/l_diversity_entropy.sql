{#- inputs: classes, class_values, class_key, attribute str, l Decimal, promise, source -#}
{% import "_keys.sql" as keys %}
-- l_diversity, entropy: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ class_values }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   diversity   exp(entropy of the values), their effective number   [values]
--   satisfied   entropy >= ln({{ l | number }}), to a tolerance of 1e-9, never null
-- nulls:   a missing value is a value of its own
select
{{ keys.select("classes", class_key) -}}
{{ "    " }}classes.class_size,
    exp(ln(classes.class_size)
        - sum(class_values.value_count * ln(class_values.value_count)) / classes.class_size) as diversity,
    classes.class_size * ln(classes.class_size)
        - sum(class_values.value_count * ln(class_values.value_count))
        >= classes.class_size * (ln({{ l | number }}) - 0.000000001) as satisfied
from {{ classes }} as classes
inner join {{ class_values }} as class_values
{{ keys.join("class_values", "classes", class_key) -}}
group by {{ keys.list("classes", class_key) | trim }}, classes.class_size
