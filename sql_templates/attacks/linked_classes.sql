{#- inputs: quasi_identifiers list[tuple[str, str]], unit str | None, population str, population_count str -#}
-- linked_classes: rows that share all quasi-identifiers; buckets publish these unchanged
-- reads:   published_rows{{ ", " ~ population if population }}
-- returns: one row per combination of quasi-identifiers
--   class_size  {{ "persons" if unit else "published rows" }}
{% if population %}
--   population_size  rows of the population with the same quasi-identifiers   [rows]
{% endif %}
-- nulls:   a null is a value of its own
{% if population %}
with population_sizes as (
    select
{% for name, alias in quasi_identifiers %}
        cast(population_combinations.{{ name | ident }} as varchar) as label_{{ loop.index }},
{% endfor %}
        cast(sum(population_combinations.{{ population_count | ident }}) as bigint) as population_size
    from {{ population }} as population_combinations
    group by
{% for name, alias in quasi_identifiers %}
        cast(population_combinations.{{ name | ident }} as varchar){{ "," if not loop.last }}
{% endfor %}
)
{% endif %}
select
{% for name, alias in quasi_identifiers %}
    linked.{{ alias | ident }},
{% endfor %}
    linked.class_size{{ "," if population }}
{% if population %}
    coalesce(population_sizes.population_size, 0) as population_size
{% endif %}
from (
    select
{% for name, alias in quasi_identifiers %}
        published_rows.{{ name | ident }} as {{ alias | ident }},
{% endfor %}
        {{ "count(distinct published_rows." ~ (unit | ident) ~ ")" if unit else "count(*)" }} as class_size
    from sqlanon.published_rows
    group by
{% for name, alias in quasi_identifiers %}
        published_rows.{{ name | ident }}{{ "," if not loop.last }}
{% endfor %}
) as linked
{% if population %}
left join population_sizes
{% for name, alias in quasi_identifiers %}
    {{ "on" if loop.first else "and" }} population_sizes.label_{{ loop.index }} is not distinct from cast(linked.{{ alias | ident }} as varchar)
{% endfor %}
{% endif %}
