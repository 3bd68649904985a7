{#- CTEs `class_values_of_X` ... and `classes`: what promises count in the classes of `counted_from` -#}
{% import "_keys.sql" as keys %}
{% set members = "persons" if unit else "rows" %}
{% set size = "count(distinct person)" if unit else "cast(sum(row_count) as bigint)" %}
{% for values in values_counted %}
{% set known = namespace(names=[]) %}
{% for column in values.known %}{% set known.names = known.names + [column.named("value")] %}{% endfor %}
{% set value = [] if values.is_generalized else [values.value] %}
{{ values.name }} as (
    -- {{ members }} of each {{ class }} with each value of {{ values.column.name | comment }}
{% if values.is_joint %}
    -- in classes that are further divided by the other sensitive values
{% endif %}
{% if values.is_generalized %}
    -- (a quasi-identifier, so there is one published value per class)
{% endif %}
    select {{ keys.list("", class_key, last=known.names) }}, {{ values.value }} as value, {{ size }} as value_count
    from {{ counted_from }}
{% if population %}
    where row_count > 0
{% endif %}
    group by {{ keys.list("", class_key, last=known.names + value) }}
),
{% if values.is_joint %}
{{ values.totals }} as (
    select {{ keys.list("", class_key, last=known.names) }}, {{ size if unit else "cast(sum(value_count) as bigint)" }} as class_size
    from {{ counted_from if unit else values.name }}
{% if unit and population %}
    where row_count > 0
{% endif %}
    group by {{ keys.list("", class_key, last=known.names) }}
),
{% endif %}
{% endfor %}
{% set counted_once = values_counted | rejectattr("is_joint") | list if not (unit or population) else [] %}
classes as (
    -- {{ members }} of each {{ class }}
{% if counted_once %}
    select {{ keys.list("", class_key) }}, cast(sum(value_count) as bigint) as class_size
    from {{ counted_once[0].name }}
    group by {{ keys.list("", class_key) }}
{% elif linked %}
    select {{ keys.list("", class_key) }}, count(*) as class_size, cast(sum(class_1) as bigint) as row_count
    from histories
    group by {{ keys.list("", class_key) }}
{% else %}
    select {{ keys.list("", class_key) }}, {{ "cast(sum(population_count) as bigint) as population_size, " if population }}{{ size }} as class_size{{ ", cast(sum(row_count) as bigint) as row_count" if unit and counts_rows }}
    from {{ counted_from }}
    group by {{ keys.list("", class_key) }}
{% if population %}
    having sum(row_count) > 0
{% endif %}
{% endif %}
)
