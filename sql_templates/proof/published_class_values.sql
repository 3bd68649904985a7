{#- inputs: values ClassValues, class_key list[str], unit str | None -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{% set column = values.column %}
{{ comments.line("-- published_" ~ values.name ~ ":", "how often each " ~ (column.name | comment) ~ " occurs in each published class" ~ (", divided by the other sensitive values" if values.is_joint)) }}
{{ comments.line("-- reads:  ", "published_combinations" ~ ("; a quasi-identifier, so one value a class" if values.is_generalized else ", " ~ column.named("table_values"))) }}
-- returns: one row per class and value
--   value        code of the value
--   value_count  {{ "persons" if unit else "rows" }}
select {{ keys.list("combinations", class_key) }}, {% for other in values.known %}combinations.{{ other.named("text") }} as {{ other.named("value") }}, {% endfor %}{{ "0 as value" if values.is_generalized else "table_values.value" }}, {{ "count(distinct combinations.person)" if unit else "cast(sum(combinations.row_count) as bigint)" }} as value_count
from sqlanon.published_combinations as combinations
{% if not values.is_generalized %}
inner join sqlanon.{{ column.named("table_values") }} as table_values
    on table_values.text is not distinct from combinations.{{ column.named("text") }}
{% endif %}
group by {{ keys.list("combinations", class_key) }}{% for other in values.known %}, combinations.{{ other.named("text") }}{% endfor %}{{ ", table_values.value" if not values.is_generalized }}
