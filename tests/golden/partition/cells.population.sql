-- cells: the source as places; every cut is decided on this table
-- reads:   source_combinations, value_places; earlier proofs showed that every value has a place
-- returns: one row per distinct combination
--   place_1     place of the "age"
--   place_2     place of born
--   place_3     place of tôwn
--   place_4     place of select
--   population_count  rows of the population   [rows]
--   row_count   source rows   [rows]
select
    places_1.place as place_1,
    places_2.place as place_2,
    places_3.place as place_3,
    places_4.place as place_4,
    cast(combinations.population_count as bigint) as population_count,
    combinations.row_count as row_count
from sqlanon.source_combinations as combinations
left join sqlanon.value_places as places_1
    on places_1.attribute_number = 1
    and places_1.value is not distinct from cast(combinations."the ""age""" as varchar)
left join sqlanon.value_places as places_2
    on places_2.attribute_number = 2
    and places_2.value is not distinct from cast(combinations.born as varchar)
left join sqlanon.value_places as places_3
    on places_3.attribute_number = 3
    and places_3.value is not distinct from cast(combinations."tôwn" as varchar)
left join sqlanon.value_places as places_4
    on places_4.attribute_number = 4
    and places_4.value is not distinct from cast(combinations."select" as varchar)
