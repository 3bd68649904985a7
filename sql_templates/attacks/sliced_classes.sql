{#- inputs: title str, class_values str, class_key list[str] -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: rows of a bucket that agree in the column group of the sensitive attribute
-- reads:   {{ class_values }}
-- returns: one row per bucket and combination of the other values of this column group
--   class_size   [rows]
-- nulls:   a missing value is a value of its own
select
{{ keys.select("class_values", class_key) }}    cast(sum(class_values.value_count) as bigint) as class_size
from {{ class_values }} as class_values
group by {{ keys.list("class_values", class_key) }}
