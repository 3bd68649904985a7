-- release: what mondrian.yml publishes of patients.csv, in the order of the published values
--   sex             a range of values in their order, each class its own, from class_labels
--   born            a range of dates, each class its own, with ends by quarter, from class_labels
--   zip             a range of values in their order, each class its own, from class_labels
--   diagnosis, cost as in the source
--   not published   patient_id, name, marital_status (identifiers)
--   classes         the table is cut repeatedly (step regions); class_cells holds them
--   boxes           those that the cuts bound, one per class and column; class_regions holds them
--   promise         every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise         every class holds at least 2 different values of diagnosis
-- reads:   source_rows, value_places, class_cells, class_labels
-- returns: one row per source row
-- order:   by the published values alone; the order of the source could identify persons
with placed_rows as (
    -- one row per source row: its places in the order of each quasi-identifier
    select
        source_rows.diagnosis,
        source_rows.cost,
        places_of_sex.place as place_of_sex,
        places_of_born.place as place_of_born,
        places_of_zip.place as place_of_zip
    from sqlanon.source_rows
    left join sqlanon.value_places as places_of_sex
        on places_of_sex.attribute_number = 1
        and places_of_sex.value is not distinct from cast(source_rows.sex as varchar)
    left join sqlanon.value_places as places_of_born
        on places_of_born.attribute_number = 2
        and places_of_born.value is not distinct from cast(source_rows.born as varchar)
    left join sqlanon.value_places as places_of_zip
        on places_of_zip.attribute_number = 3
        and places_of_zip.value is not distinct from cast(source_rows.zip as varchar)
),
cell_classes as (
    -- one row per combination of places: the class that it is in
    select distinct
        place_of_sex,
        place_of_born,
        place_of_zip,
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
        on cell_classes.place_of_sex = placed_rows.place_of_sex
        and cell_classes.place_of_born = placed_rows.place_of_born
        and cell_classes.place_of_zip = placed_rows.place_of_zip
)
select
    class_labels.sex,
    class_labels.born,
    class_labels.zip,
    classed_rows.diagnosis,
    classed_rows.cost
from classed_rows
inner join sqlanon.class_labels
    on class_labels.class = classed_rows.class
order by
    class_labels.class_position,
    classed_rows.diagnosis,
    classed_rows.cost;
