{#- inputs: name str, class_key list[str], unit str | None, persons str, population bool, linked bool -#}
{% import "_keys.sql" as keys %}
-- {{ name }}: {{ "persons whose published histories are equal" if linked else "rows that share all published quasi-identifiers" }}
-- reads:   published_combinations{{ ", population_classes" if population }}
-- returns: one row per class
--   class_size  {{ "persons" if unit else "persons, as published" if persons else "published rows" }}
{% if population %}
--   population_size  rows of the population that fall into the class   [rows]
{% endif %}
-- nulls:   a null is a value of its own
{% set size %}{{ "count(distinct person)" if unit else "min(person_count)" if persons else "cast(sum(row_count) as bigint)" }} as class_size{% endset %}
{% if population %}
select {{ keys.list("counted_classes", class_key) }}, counted_classes.class_size, coalesce(population_classes.population_size, 0) as population_size
from (
    select {{ keys.list("", class_key) }}, {{ size }}
    from sqlanon.published_combinations
    group by {{ keys.list("", class_key) }}
) as counted_classes
left join sqlanon.population_classes
{{ keys.join("population_classes", "counted_classes", class_key) }}
{% else %}
select {{ keys.list("", class_key) }}, {{ size }}
from sqlanon.published_combinations
group by {{ keys.list("", class_key) }}
{% endif %}
