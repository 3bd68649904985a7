-- published: the rows of the publication, in a staging file until they are proven
-- reads:   source_rows, value_places, class_cells, published_classes
-- returns: one row per source row
-- order:   by the published values alone; the order of the source could identify persons
with placed_rows as (
    -- every row with its places; earlier proofs showed that every value has a place
    select
        source_rows.ward,
        source_rows.case_number,
        source_rows.diagnosis,
        source_rows.class_1,
        places_1.place as place_1,
        places_2.place as place_2,
        places_3.place as place_3,
        places_4.place as place_4
    from sqlanon.source_rows as source_rows
    left join sqlanon.value_places as places_1
        on places_1.attribute_number = 1
        and places_1.value is not distinct from cast(source_rows."the ""age""" as varchar)
    left join sqlanon.value_places as places_2
        on places_2.attribute_number = 2
        and places_2.value is not distinct from cast(source_rows.born as varchar)
    left join sqlanon.value_places as places_3
        on places_3.attribute_number = 3
        and places_3.value is not distinct from cast(source_rows."tôwn" as varchar)
    left join sqlanon.value_places as places_4
        on places_4.attribute_number = 4
        and places_4.value is not distinct from cast(source_rows."select" as varchar)
),
combination_classes as (
    select distinct
        place_1,
        place_2,
        place_3,
        place_4,
        class
    from sqlanon.class_cells
),
classed_rows as (
    select
        placed_rows.*,
        combinations.class as class
    from placed_rows
    inner join combination_classes as combinations
        on combinations.place_1 = placed_rows.place_1
        and combinations.place_2 = placed_rows.place_2
        and combinations.place_3 = placed_rows.place_3
        and combinations.place_4 = placed_rows.place_4
)
select
    classed_rows.ward,
    classed_rows.case_number,
    published_classes."the ""age""",
    published_classes.born,
    published_classes."tôwn",
    published_classes."select",
    classed_rows.diagnosis,
    classed_rows.class_1
from classed_rows
inner join sqlanon.published_classes as published_classes
    on published_classes.class = classed_rows.class
order by
    published_classes."position",
    classed_rows.ward,
    classed_rows.case_number,
    classed_rows.diagnosis,
    classed_rows.class_1
