-- bucket_floors: the lowest level to which each column of each bucket must be generalized
-- source:  a label with b rows of the table among a persons has a mean probability of b / a, so
--   0 <= b / a <= 0.8 must hold for every label (Lemma 1 of the thesis)
-- reads:   class_cells, label_places
-- returns: one row per bucket with rows
--   floor_of_age, ceiling_of_age   levels of age
--   floor_of_zip, ceiling_of_zip   levels of zip
--   floor     lowest level at which this holds for all labels of the column
--   ceiling   lowest level at which the column has a single label; a higher one has no more effect
with label_counts as (
    -- one row per class, attribute and label: its rows, and its persons of the population
    select
        class_cells.class,
        1 as attribute_number,
        label_places.level,
        sum(class_cells.row_count) as row_count,
        sum(class_cells.population_count) as person_count
    from sqlanon.class_cells
    inner join sqlanon.label_places
        on label_places.attribute_number = 1
        and label_places.place = class_cells.place_of_age
    group by class_cells.class, label_places.level, label_places.first_place
    union all
    select
        class_cells.class,
        2 as attribute_number,
        label_places.level,
        sum(class_cells.row_count) as row_count,
        sum(class_cells.population_count) as person_count
    from sqlanon.class_cells
    inner join sqlanon.label_places
        on label_places.attribute_number = 2
        and label_places.place = class_cells.place_of_zip
    group by class_cells.class, label_places.level, label_places.first_place
),
levels as (
    -- one row per class, attribute and level: has it one label? does every label do?
    select
        class,
        attribute_number,
        level,
        count(*) = 1 as is_alike,
        bool_and(
            row_count >= 0 * person_count and row_count <= 0.8 * person_count
        ) as could_do
    from label_counts
    group by class, attribute_number, level
)
select
    class as bucket,
    min(level) filter (where attribute_number = 1 and could_do) as floor_of_age,
    min(level) filter (where attribute_number = 2 and could_do) as floor_of_zip,
    min(level) filter (where attribute_number = 1 and is_alike) as ceiling_of_age,
    min(level) filter (where attribute_number = 2 and is_alike) as ceiling_of_zip
from levels
where class in (select class from sqlanon.class_cells group by class having sum(row_count) > 0)
group by class
