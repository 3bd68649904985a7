{#- inputs: classes, class_values, table_values, class_key, attribute str, alpha Decimal, k int, values list[str], promise, source -#}
{% import "_keys.sql" as keys %}
-- alpha_k_anonymity: {{ promise | comment }}
-- source:  {{ source | comment }}
-- reads:   {{ classes }}, {{ class_values }}{{ ", " ~ table_values if values }} of {{ attribute | comment }}
-- returns: one row per equivalence class
--   largest_share   share of the most frequent value{{ " of those listed" if values }}   [0 to 1]
--   satisfied       class_size >= {{ k | number }} and largest_share <= {{ alpha | number }}, in whole numbers, never null
-- nulls:   a missing value is a value of its own
with largest_counts as (
    select
{{ keys.select("class_values", class_key) | indent(4, first=true) -}}
{{ "        " }}max(class_values.value_count){% if values %} filter (where table_values.text in ({% for value in values %}{{ value | text }}{{ ", " if not loop.last }}{% endfor %})){% endif %} as value_count
    from {{ class_values }} as class_values
{% if values %}
    inner join {{ table_values }} as table_values on table_values.value = class_values.value
{% endif %}
    group by {{ keys.list("class_values", class_key) | trim }}
)
select
{{ keys.select("classes", class_key) -}}
{{ "    " }}classes.class_size,
    cast(coalesce(largest_counts.value_count, 0) as double) / classes.class_size as largest_share,
    classes.class_size >= {{ k | number }}
        and coalesce(largest_counts.value_count, 0) <= {{ alpha | number }} * classes.class_size as satisfied
from {{ classes }} as classes
inner join largest_counts
{{ keys.join("largest_counts", "classes", class_key) }}
