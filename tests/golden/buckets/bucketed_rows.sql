-- bucketed_rows: every row with the bucket that its values lie in
-- reads:   source_rows, value_places, class_cells
-- returns: one row per source row
--   bucket   number of the bucket, from 1
with placed_rows as (
    -- every row with its places; every value has one, as the proofs before showed
    select
        source_rows.age,
        source_rows.zip,
        source_rows.disease,
        places_1.place as place_1,
        places_2.place as place_2
    from sqlanon.source_rows as source_rows
    left join sqlanon.value_places as places_1
        on places_1.attribute_number = 1
        and places_1.value is not distinct from cast(source_rows.age as varchar)
    left join sqlanon.value_places as places_2
        on places_2.attribute_number = 2
        and places_2.value is not distinct from cast(source_rows.zip as varchar)
),
combination_classes as (
    select distinct place_1, place_2, class
    from sqlanon.class_cells
)
select
    placed_rows.age,
    placed_rows.zip,
    placed_rows.disease,
    combinations.class as bucket
from placed_rows
inner join combination_classes as combinations
    on combinations.place_1 = placed_rows.place_1
    and combinations.place_2 = placed_rows.place_2
