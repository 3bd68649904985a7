-- population_regions: the published regions that contain each combination of the population
-- reads:   published_rows, label_ranges, value_places, population_combinations
-- returns: one row per combination and region
--   combination       number of the combination
--   population_size   rows of the population   [rows]
with published_regions as (
    select
        regions."the ""age""",
        regions.born,
        regions."tôwn",
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
numbered_regions as (
    -- regions with equal ends in the first attributes share a prefix number, so that they are
    -- found attribute by attribute
    select
        *,
        dense_rank() over (
            order by first_1, last_1
        ) as prefix_1,
        dense_rank() over (
            order by first_1, last_1, first_2, last_2
        ) as prefix_2,
        dense_rank() over (
            order by first_1, last_1, first_2, last_2, first_3, last_3
        ) as prefix_3,
        dense_rank() over (
            order by first_1, last_1, first_2, last_2, first_3, last_3, first_4, last_4
        ) as prefix_4
    from published_regions
),
located_0 as (
    select
        row_number() over (
            order by places_1.place, places_2.place, places_3.place, places_4.place
        ) as combination,
        places_1.place as place_1,
        places_2.place as place_2,
        places_3.place as place_3,
        places_4.place as place_4,
        0 as prefix_0,
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
),
located_1 as (
    -- of the regions found so far, those whose the "age" contains the combination's
    select
        located_0.combination,
        located_0.place_2,
        located_0.place_3,
        located_0.place_4,
        ranges.prefix_1,
        located_0.population_size
    from located_0
    inner join (
        select distinct 0 as prefix_0, prefix_1, first_1, last_1
        from numbered_regions
    ) as ranges
        on ranges.prefix_0 = located_0.prefix_0
        and located_0.place_1 between ranges.first_1 and ranges.last_1
),
located_2 as (
    -- of the regions found so far, those whose born contains the combination's
    select
        located_1.combination,
        located_1.place_3,
        located_1.place_4,
        ranges.prefix_2,
        located_1.population_size
    from located_1
    inner join (
        select distinct prefix_1, prefix_2, first_2, last_2
        from numbered_regions
    ) as ranges
        on ranges.prefix_1 = located_1.prefix_1
        and located_1.place_2 between ranges.first_2 and ranges.last_2
),
located_3 as (
    -- of the regions found so far, those whose tôwn contains the combination's
    select
        located_2.combination,
        located_2.place_4,
        ranges.prefix_3,
        located_2.population_size
    from located_2
    inner join (
        select distinct prefix_2, prefix_3, first_3, last_3
        from numbered_regions
    ) as ranges
        on ranges.prefix_2 = located_2.prefix_2
        and located_2.place_3 between ranges.first_3 and ranges.last_3
),
located_4 as (
    -- of the regions found so far, those whose select contains the combination's
    select
        located_3.combination,
        ranges.prefix_4,
        located_3.population_size
    from located_3
    inner join (
        select distinct prefix_3, prefix_4, first_4, last_4
        from numbered_regions
    ) as ranges
        on ranges.prefix_3 = located_3.prefix_3
        and located_3.place_4 between ranges.first_4 and ranges.last_4
)
select
    numbered_regions."the ""age""",
    numbered_regions.born,
    numbered_regions."tôwn",
    numbered_regions.quasi_identifier_4,
    located_4.combination,
    located_4.population_size
from located_4
inner join numbered_regions
    on numbered_regions.prefix_4 = located_4.prefix_4
