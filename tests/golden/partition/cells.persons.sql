-- cells: the source as places; every cut is decided on this table
-- reads:   source_combinations, value_places; earlier proofs showed that every value has a place
-- returns: one row per distinct combination
--   place_of_the_age   place of the "age"
--   place_of_born   place of born
--   place_of_town   place of tôwn
--   place_of_select   place of select
--   value_of_diagnosis   code of diagnosis, as in table_values_of_diagnosis
--   person   number of the person
--   row_count   source rows   [rows]
select
    places_of_the_age.place as place_of_the_age,
    places_of_born.place as place_of_born,
    places_of_town.place as place_of_town,
    places_of_select.place as place_of_select,
    values_of_diagnosis.value as value_of_diagnosis,
    dense_rank() over (order by combinations.person) as person,
    combinations.row_count
from sqlanon.source_combinations as combinations
left join sqlanon.value_places as places_of_the_age
    on places_of_the_age.attribute_number = 1
    and places_of_the_age.value is not distinct from cast(combinations."the ""age""" as varchar)
left join sqlanon.value_places as places_of_born
    on places_of_born.attribute_number = 2
    and places_of_born.value is not distinct from cast(combinations.born as varchar)
left join sqlanon.value_places as places_of_town
    on places_of_town.attribute_number = 3
    and places_of_town.value is not distinct from cast(combinations."tôwn" as varchar)
left join sqlanon.value_places as places_of_select
    on places_of_select.attribute_number = 4
    and places_of_select.value is not distinct from cast(combinations."select" as varchar)
left join sqlanon.table_values_of_diagnosis as values_of_diagnosis
    on values_of_diagnosis.text is not distinct from cast(combinations.counted_1 as varchar)
