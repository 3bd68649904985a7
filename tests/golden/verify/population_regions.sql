-- population_regions: the published regions that each combination of the population lies in
-- reads:   published_rows, label_ranges, value_places, population_combinations
-- returns: one row per combination and region
--   combination       number of the combination
--   population_size   rows of the population   [rows]
with published_regions as (
    select
        regions."the ""age""" as "the ""age""",
        regions.born as born,
        regions."tôwn" as "tôwn",
        regions."select" as quasi_identifier_4,
        ranges_1.first_place as first_1,
        ranges_1.last_place as last_1,
        ranges_2.first_place as first_2,
        ranges_2.last_place as last_2,
        ranges_3.first_place as first_3,
        ranges_3.last_place as last_3,
        ranges_4.first_place as first_4,
        ranges_4.last_place as last_4
    from (
        select distinct "the ""age""", born, "tôwn", "select"
        from sqlanon.published_rows
    ) as regions
    inner join sqlanon.label_ranges as ranges_1
        on ranges_1.attribute_number = 1
        and ranges_1.label is not distinct from cast(regions."the ""age""" as varchar)
    inner join sqlanon.label_ranges as ranges_2
        on ranges_2.attribute_number = 2
        and ranges_2.label is not distinct from cast(regions.born as varchar)
    inner join sqlanon.label_ranges as ranges_3
        on ranges_3.attribute_number = 3
        and ranges_3.label is not distinct from cast(regions."tôwn" as varchar)
    inner join sqlanon.label_ranges as ranges_4
        on ranges_4.attribute_number = 4
        and ranges_4.label is not distinct from cast(regions."select" as varchar)
),
population_places as (
    select
        row_number() over (order by places_1.place, places_2.place, places_3.place, places_4.place) as combination,
        places_1.place as place_1,
        places_2.place as place_2,
        places_3.place as place_3,
        places_4.place as place_4,
        combinations.population_count as population_size
    from sqlanon.population_combinations as combinations
    inner join sqlanon.value_places as places_1
        on places_1.attribute_number = 1
        and places_1.value is not distinct from cast(combinations."the ""age""" as varchar)
    inner join sqlanon.value_places as places_2
        on places_2.attribute_number = 2
        and places_2.value is not distinct from cast(combinations.born as varchar)
    inner join sqlanon.value_places as places_3
        on places_3.attribute_number = 3
        and places_3.value is not distinct from cast(combinations."tôwn" as varchar)
    inner join sqlanon.value_places as places_4
        on places_4.attribute_number = 4
        and places_4.value is not distinct from cast(combinations."select" as varchar)
)
select
    published_regions."the ""age""",
    published_regions.born,
    published_regions."tôwn",
    published_regions.quasi_identifier_4,
    population_places.combination,
    population_places.population_size
from population_places
inner join published_regions
    on population_places.place_1 between published_regions.first_1 and published_regions.last_1
    and population_places.place_2 between published_regions.first_2 and published_regions.last_2
    and population_places.place_3 between published_regions.first_3 and published_regions.last_3
    and population_places.place_4 between published_regions.first_4 and published_regions.last_4
