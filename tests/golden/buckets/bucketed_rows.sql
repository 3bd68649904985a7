-- bucketed_rows: every row with the bucket that contains its values
-- reads:   keyed_rows, row_combinations, value_places, class_cells
-- returns: one row per source row: its combination and its keys
--   bucket   number of the bucket, from 1
with placed_combinations as (
    -- every distinct row with its places; earlier proofs showed that every value has a place
    select
        combinations.combination as combination,
        places_1.place as place_1,
        places_2.place as place_2
    from sqlanon.row_combinations as combinations
    left join sqlanon.value_places as places_1
        on places_1.attribute_number = 1
        and places_1.value is not distinct from cast(combinations.age as varchar)
    left join sqlanon.value_places as places_2
        on places_2.attribute_number = 2
        and places_2.value is not distinct from cast(combinations.zip as varchar)
),
place_classes as (
    select distinct
        place_1,
        place_2,
        class
    from sqlanon.class_cells
),
combination_buckets as (
    select placed_combinations.combination, place_classes.class as bucket
    from placed_combinations
    inner join place_classes
        on place_classes.place_1 = placed_combinations.place_1
        and place_classes.place_2 = placed_combinations.place_2
)
select
    keyed_rows.combination,
    keyed_rows.key_1,
    keyed_rows.key_2,
    combination_buckets.bucket
from sqlanon.keyed_rows as keyed_rows
inner join combination_buckets on combination_buckets.combination = keyed_rows.combination
