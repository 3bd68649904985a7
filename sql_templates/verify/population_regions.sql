{#- inputs: quasi_identifiers list[tuple[str, str]], key list[tuple[str, str]], population_count str -#}
-- population_regions: the published regions that each combination of the population lies in
-- reads:   published_rows, label_ranges, value_places, population_combinations
-- returns: one row per combination and region
--   combination       number of the combination
--   population_size   rows of the population   [rows]
with published_regions as (
    select
{% for name, alias in key %}
        regions.{{ name | ident }} as {{ alias | ident }},
{% endfor %}
{% for name, alias in quasi_identifiers %}
        ranges_{{ loop.index }}.first_place as first_{{ loop.index }},
        ranges_{{ loop.index }}.last_place as last_{{ loop.index }}{{ "," if not loop.last }}
{% endfor %}
    from (
        select distinct {% for name, alias in key %}{{ name | ident }}{{ ", " if not loop.last }}{% endfor %}

        from sqlanon.published_rows
    ) as regions
{% for name, alias in quasi_identifiers %}
    inner join sqlanon.label_ranges as ranges_{{ loop.index }}
        on ranges_{{ loop.index }}.attribute_number = {{ loop.index }}
        and ranges_{{ loop.index }}.label is not distinct from cast(regions.{{ name | ident }} as varchar)
{% endfor %}
),
population_places as (
    select
        row_number() over (order by {% for name, alias in quasi_identifiers %}places_{{ loop.index }}.place{{ ", " if not loop.last }}{% endfor %}) as combination,
{% for name, alias in quasi_identifiers %}
        places_{{ loop.index }}.place as place_{{ loop.index }},
{% endfor %}
        combinations.{{ population_count | ident }} as population_size
    from sqlanon.population_combinations as combinations
{% for name, alias in quasi_identifiers %}
    inner join sqlanon.value_places as places_{{ loop.index }}
        on places_{{ loop.index }}.attribute_number = {{ loop.index }}
        and places_{{ loop.index }}.value is not distinct from cast(combinations.{{ name | ident }} as varchar)
{% endfor %}
)
select
{% for name, alias in key %}
    published_regions.{{ alias | ident }},
{% endfor %}
    population_places.combination,
    population_places.population_size
from population_places
inner join published_regions
{% for name, alias in quasi_identifiers %}
    {{ "on" if loop.first else "and" }} population_places.place_{{ loop.index }} between published_regions.first_{{ loop.index }} and published_regions.last_{{ loop.index }}
{% endfor %}
