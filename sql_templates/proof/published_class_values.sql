{#- inputs: number int, attribute str, is_generalized bool, known list[int], class_key list[str], unit str | None, title str -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{{ comments.line("-- " ~ title ~ ":", "how often each " ~ (attribute | comment) ~ " occurs in each published class" ~ (", divided by the other sensitive values" if known)) }}
{{ comments.line("-- reads:  ", "published_combinations" ~ ("; a quasi-identifier, so one value a class" if is_generalized else ", table_values_" ~ number)) }}
-- returns: one row per class and value
--   value        code of the value
--   value_count  {{ "persons" if unit else "rows" }}
select {{ keys.list("combinations", class_key) }}, {% for other in known %}combinations.text_{{ other }} as value_{{ other }}, {% endfor %}{{ "0 as value" if is_generalized else "table_values.value" }}, {{ "count(distinct combinations.person)" if unit else "cast(sum(combinations.row_count) as bigint)" }} as value_count
from sqlanon.published_combinations as combinations
{% if not is_generalized %}
inner join sqlanon.table_values_{{ number }} as table_values
    on table_values.text is not distinct from combinations.text_{{ number }}
{% endif %}
group by {{ keys.list("combinations", class_key) }}{% for other in known %}, combinations.text_{{ other }}{% endfor %}{{ ", table_values.value" if not is_generalized }}
