-- candidate_cells: the persons who could be in a bucket, by the labels that a node publishes
-- reads:   class_cells, label_places
-- returns: one row per bucket and distinct combination of labels
--   first_place_N   label of quasi-identifier N, given as the first place that it covers
--   person_count    persons of the population   [persons]
--   row_count       rows of the table among them   [rows]
with nodes as (
    select *
    from (values
        (1, 1, 0),
        (2, 1, 0),
        (3, 1, 0),
        (4, 1, 0),
        (5, 1, 0),
        (6, 1, 0),
        (7, 1, 0),
        (8, 1, 0)
    ) as listed (bucket, level_1, level_2)
)
select
    nodes.bucket,
    labels_1.first_place as first_place_1,
    labels_2.first_place as first_place_2,
    cast(sum(class_cells.population_count) as bigint) as person_count,
    cast(sum(class_cells.row_count) as bigint) as row_count
from nodes
inner join sqlanon.class_cells as class_cells on class_cells.class = nodes.bucket
inner join sqlanon.label_places as labels_1
    on labels_1.attribute_number = 1
    and labels_1.place = class_cells.place_1
    and labels_1.level = nodes.level_1
inner join sqlanon.label_places as labels_2
    on labels_2.attribute_number = 2
    and labels_2.place = class_cells.place_2
    and labels_2.level = nodes.level_2
group by nodes.bucket, labels_1.first_place, labels_2.first_place
order by nodes.bucket, labels_1.first_place, labels_2.first_place
