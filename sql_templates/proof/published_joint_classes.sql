{#- inputs: values ClassValues, class_key list[str], unit str | None -#}
{% import "_comments.sql" as comments %}
{% import "_keys.sql" as keys %}
{{ comments.line("-- published_" ~ values.totals ~ ":", "the published classes, divided by the other sensitive values") }}
-- reads:   published_combinations
-- returns: one row per class and other sensitive values
--   class_size   {{ "persons" if unit else "rows" }}
select {{ keys.list("", class_key) }}, {% for other in values.known %}{{ other.named("text") }} as {{ other.named("value") }}, {% endfor %}{{ "count(distinct person)" if unit else "cast(sum(row_count) as bigint)" }} as class_size
from sqlanon.published_combinations
group by {{ keys.list("", class_key) }}{% for other in values.known %}, {{ other.named("text") }}{% endfor %}

