{#- inputs: title str, values_table str, class_key list[str] -#}
{% import "_keys.sql" as keys %}
-- {{ title }}: the classes of {{ values_table }}
-- reads:   {{ values_table }}
-- returns: one row per class
--   class_size   sum of its value counts
select {{ keys.list("", class_key) }}, cast(sum(value_count) as bigint) as class_size
from sqlanon.{{ values_table }}
group by {{ keys.list("", class_key) }}
