{#- inputs: name str, population str, quasi_identifiers list[tuple[str, str]], key list[tuple[str, str]], population_count str -#}
-- {{ name }}: the published regions that contain each combination of the population
-- reads:   published_rows, label_ranges, value_places, {{ population }}
-- returns: one row per combination and region
--   combination       number of the combination
--   population_size   rows of the population   [rows]
with published_regions as (
    select
{% for name, alias in key %}
        regions.{{ name | ident }}{{ " as " ~ (alias | ident) if alias != name }},
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
numbered_regions as materialized (
    -- regions with equal ends in the first attributes share a prefix number, so that they are
    -- found attribute by attribute
    select
        *{% for name, alias in quasi_identifiers %},
        dense_rank() over (
            order by {% for number in range(1, loop.index + 1) %}first_{{ number }}, last_{{ number }}{{ ", " if not loop.last }}{% endfor %}

        ) as prefix_{{ loop.index }}{% endfor %}

    from published_regions
),
located_0 as materialized (
    select
        row_number() over (
            order by {% for _ in quasi_identifiers %}places_{{ loop.index }}.place{{ ", " if not loop.last }}{% endfor %}

        ) as combination,
{% for name, alias in quasi_identifiers %}
        places_{{ loop.index }}.place as place_{{ loop.index }},
{% endfor %}
        0 as prefix_0,
        combinations.{{ population_count | ident }} as population_size
    from sqlanon.{{ population }} as combinations
{% for name, alias in quasi_identifiers %}
    inner join sqlanon.value_places as places_{{ loop.index }}
        on places_{{ loop.index }}.attribute_number = {{ loop.index }}
        and places_{{ loop.index }}.value is not distinct from cast(combinations.{{ name | ident }} as varchar)
{% endfor %}
){% for name, alias in quasi_identifiers %},
{% set number = loop.index %}
located_{{ number }} as materialized (
    -- of the regions found so far, those whose {{ name | comment }} contains the combination's
    select
        located_{{ number - 1 }}.combination,
{% for later in range(number + 1, (quasi_identifiers | length) + 1) %}
        located_{{ number - 1 }}.place_{{ later }},
{% endfor %}
        ranges.prefix_{{ number }},
        located_{{ number - 1 }}.population_size
    from located_{{ number - 1 }}
    inner join (
        select distinct {{ "0 as prefix_0" if number == 1 else "prefix_" ~ (number - 1) }}, prefix_{{ number }}, first_{{ number }}, last_{{ number }}
        from numbered_regions
    ) as ranges
        on ranges.prefix_{{ number - 1 }} = located_{{ number - 1 }}.prefix_{{ number - 1 }}
        and located_{{ number - 1 }}.place_{{ number }} between ranges.first_{{ number }} and ranges.last_{{ number }}
){% endfor %}

{% set last = quasi_identifiers | length %}
select
{% for name, alias in key %}
    numbered_regions.{{ alias | ident }},
{% endfor %}
    located_{{ last }}.combination,
    located_{{ last }}.population_size
from located_{{ last }}
inner join numbered_regions
    on numbered_regions.prefix_{{ last }} = located_{{ last }}.prefix_{{ last }}
