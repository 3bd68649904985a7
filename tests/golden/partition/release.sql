-- release: what plan publishes of it's.csv, in the order of the published values
--   ward               '*' in every row
--   case_number        a keyed hash
--   the "age"          the interval of its class, on a grid in steps of 2.5 from 1, from
--                      class_labels
--   born               the interval of its class, on a grid by month, from class_labels
--   tôwn               the label of its class, from class_labels
--   select             the interval of its class, from class_labels
--   diagnosis, class_1 as in the source
--   not published      patient (an identifier); rows without a value of the "age" or born or tôwn
--                      or select or diagnosis
--   classes            the table is cut repeatedly (step regions); class_cells holds them
--   boxes              those of their rows, one per class and column; class_regions holds them
--   decides            which rows are kept: the "age", born, tôwn, select, diagnosis
--   promise            every published row shares its quasi-identifiers with at least 4 others (k =
--                      5)
-- reads:   source_rows, value_places, class_cells, class_labels
-- returns: one row per source row
-- order:   by the published values alone; the order of the source could identify persons
with placed_rows as (
    -- one row per source row: its places in the order of each quasi-identifier
    select
        source_rows.ward,
        source_rows.case_number,
        source_rows.diagnosis,
        source_rows.class_1,
        places_of_the_age.place as place_of_the_age,
        places_of_born.place as place_of_born,
        places_of_town.place as place_of_town,
        places_of_select.place as place_of_select
    from sqlanon.source_rows
    left join sqlanon.value_places as places_of_the_age
        on places_of_the_age.attribute_number = 1
        and places_of_the_age.value
            is not distinct from cast(source_rows."the ""age""" as varchar)
    left join sqlanon.value_places as places_of_born
        on places_of_born.attribute_number = 2
        and places_of_born.value is not distinct from cast(source_rows.born as varchar)
    left join sqlanon.value_places as places_of_town
        on places_of_town.attribute_number = 3
        and places_of_town.value is not distinct from cast(source_rows."tôwn" as varchar)
    left join sqlanon.value_places as places_of_select
        on places_of_select.attribute_number = 4
        and places_of_select.value is not distinct from cast(source_rows."select" as varchar)
),
cell_classes as (
    -- one row per combination of places: the class that it is in
    select distinct
        place_of_the_age,
        place_of_born,
        place_of_town,
        place_of_select,
        class
    from sqlanon.class_cells
),
classed_rows as (
    -- one row per source row: its class
    select
        placed_rows.*,
        cell_classes.class
    from placed_rows
    inner join cell_classes
        on cell_classes.place_of_the_age = placed_rows.place_of_the_age
        and cell_classes.place_of_born = placed_rows.place_of_born
        and cell_classes.place_of_town = placed_rows.place_of_town
        and cell_classes.place_of_select = placed_rows.place_of_select
)
select
    classed_rows.ward,
    classed_rows.case_number,
    class_labels."the ""age""",
    class_labels.born,
    class_labels."tôwn",
    class_labels."select",
    classed_rows.diagnosis,
    classed_rows.class_1
from classed_rows
inner join sqlanon.class_labels
    on class_labels.class = classed_rows.class
order by
    class_labels.class_position,
    classed_rows.ward,
    classed_rows.case_number,
    classed_rows.diagnosis,
    classed_rows.class_1
