-- bucketed_rows: every row with the bucket that its values lie in
-- reads:   keyed_rows, value_places, class_cells
-- returns: one row per source row
--   bucket   number of the bucket, from 1
with placed_rows as (
    -- every row with its places; every value has one, as the proofs before showed
    select
        keyed_rows.age,
        keyed_rows.zip,
        keyed_rows.disease,
        keyed_rows.key_1,
        keyed_rows.key_2,
        places_1.place as place_1,
        places_2.place as place_2
    from sqlanon.keyed_rows as keyed_rows
    left join sqlanon.value_places as places_1
        on places_1.attribute_number = 1
        and places_1.value is not distinct from cast(keyed_rows.age as varchar)
    left join sqlanon.value_places as places_2
        on places_2.attribute_number = 2
        and places_2.value is not distinct from cast(keyed_rows.zip as varchar)
),
combination_classes as (
    select distinct place_1, place_2, class
    from sqlanon.class_cells
)
select
    placed_rows.age,
    placed_rows.zip,
    placed_rows.disease,
    placed_rows.key_1,
    placed_rows.key_2,
    combinations.class as bucket
from placed_rows
inner join combination_classes as combinations
    on combinations.place_1 = placed_rows.place_1
    and combinations.place_2 = placed_rows.place_2
