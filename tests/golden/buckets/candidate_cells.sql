-- candidate_cells: the persons who could be in a bucket, by the labels that a node publishes
-- reads:   class_cells, label_places
-- returns: one row per bucket and distinct combination of labels
--   first_place_of_age   label of age, given as the first place that it covers
--   first_place_of_zip   label of zip, given as the first place that it covers
--   person_count   persons of the population   [persons]
--   row_count      rows of the table among them   [rows]
with nodes (bucket, level_of_age, level_of_zip) as (
    values
        (1, 1, 0),
        (2, 1, 0),
        (3, 1, 0),
        (4, 1, 0),
        (5, 1, 0),
        (6, 1, 0),
        (7, 1, 0),
        (8, 1, 0)
)
select
    nodes.bucket,
    labels_of_age.first_place as first_place_of_age,
    labels_of_zip.first_place as first_place_of_zip,
    cast(sum(class_cells.population_count) as bigint) as person_count,
    cast(sum(class_cells.row_count) as bigint) as row_count
from nodes
inner join sqlanon.class_cells on class_cells.class = nodes.bucket
inner join sqlanon.label_places as labels_of_age
    on labels_of_age.attribute_number = 1
    and labels_of_age.place = class_cells.place_of_age
    and labels_of_age.level = nodes.level_of_age
inner join sqlanon.label_places as labels_of_zip
    on labels_of_zip.attribute_number = 2
    and labels_of_zip.place = class_cells.place_of_zip
    and labels_of_zip.level = nodes.level_of_zip
group by
    nodes.bucket,
    labels_of_age.first_place,
    labels_of_zip.first_place
order by
    nodes.bucket,
    labels_of_age.first_place,
    labels_of_zip.first_place
