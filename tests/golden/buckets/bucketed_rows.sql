-- bucketed_rows: every row with the bucket that contains its values
-- reads:   keyed_rows, row_combinations, value_places, class_cells
-- returns: one row per source row: its combination and its keys
--   bucket   number of the bucket, from 1
with placed_combinations as (
    -- one row per distinct row: its places; earlier proofs showed that every value has a place
    select
        row_combinations.combination,
        places_of_age.place as place_of_age,
        places_of_zip.place as place_of_zip
    from sqlanon.row_combinations
    left join sqlanon.value_places as places_of_age
        on places_of_age.attribute_number = 1
        and places_of_age.value is not distinct from cast(row_combinations.age as varchar)
    left join sqlanon.value_places as places_of_zip
        on places_of_zip.attribute_number = 2
        and places_of_zip.value is not distinct from cast(row_combinations.zip as varchar)
),
cell_buckets as (
    -- one row per combination of places: the bucket that it is in
    select distinct
        place_of_age,
        place_of_zip,
        class as bucket
    from sqlanon.class_cells
),
combination_buckets as (
    -- one row per distinct row: its bucket
    select placed_combinations.combination, cell_buckets.bucket
    from placed_combinations
    inner join cell_buckets
        on cell_buckets.place_of_age = placed_combinations.place_of_age
        and cell_buckets.place_of_zip = placed_combinations.place_of_zip
)
select
    keyed_rows.combination,
    keyed_rows.key_of_age_zip,
    keyed_rows.key_of_disease,
    combination_buckets.bucket
from sqlanon.keyed_rows
inner join combination_buckets on combination_buckets.combination = keyed_rows.combination
