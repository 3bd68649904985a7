-- tried_splits: whether the promises hold if one of these cuts is made of a whole attribute
-- reads:   cells, value_places
-- returns: one row per split
--   holds     true if every promise holds in every class that the split makes
--   measured  measure of the first promise for these classes
with intervals (attribute_number, first_place, last_place) as (
    values
        (1, 0, 9),
        (1, 10, 99),
        (2, 0, 30),
        (3, 0, 1),
        (4, 0, 4)
),
pieces (split, attribute_number, first_place, last_place) as (
    values
        (0, 1, 0, 4),
        (0, 1, 5, 9),
        (1, 1, 10, 20),
        (1, 1, 21, 99)
),
place_intervals as (
    select value_places.attribute_number, value_places.place, intervals.first_place
    from sqlanon.value_places as value_places
    inner join intervals
        on intervals.attribute_number = value_places.attribute_number
        and value_places.place between intervals.first_place and intervals.last_place
),
split_cells as (
    -- the cells of the interval that each split cuts, by their intervals after the split
    select
        pieces.split,
        case
            when pieces.attribute_number = 1 then pieces.first_place
            else intervals_1.first_place
        end as first_1,
        case
            when pieces.attribute_number = 2 then pieces.first_place
            else intervals_2.first_place
        end as first_2,
        case
            when pieces.attribute_number = 3 then pieces.first_place
            else intervals_3.first_place
        end as first_3,
        case
            when pieces.attribute_number = 4 then pieces.first_place
            else intervals_4.first_place
        end as first_4,
        cells.population_count, cells.row_count
    from sqlanon.cells as cells
    inner join place_intervals as intervals_1
        on intervals_1.attribute_number = 1
        and intervals_1.place = cells.place_1
    inner join place_intervals as intervals_2
        on intervals_2.attribute_number = 2
        and intervals_2.place = cells.place_2
    inner join place_intervals as intervals_3
        on intervals_3.attribute_number = 3
        and intervals_3.place = cells.place_3
    inner join place_intervals as intervals_4
        on intervals_4.attribute_number = 4
        and intervals_4.place = cells.place_4
    inner join pieces
        on case pieces.attribute_number
            when 1 then cells.place_1
            when 2 then cells.place_2
            when 3 then cells.place_3
            when 4 then cells.place_4
        end between pieces.first_place and pieces.last_place
),
classes as (
    select
        split, first_1, first_2, first_3, first_4,
        cast(sum(population_count) as bigint) as population_size,
        cast(sum(row_count) as bigint) as class_size
    from split_cells
    group by split, first_1, first_2, first_3, first_4
    having sum(row_count) > 0
),
delta_presence as (
    -- delta_presence: every person of the population is in the table with a chance from
    --   0.1 to 0.5
    -- source:  Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals
    -- reads:   classes, one row per equivalence class, population_size included
    -- returns: one row per equivalence class
    --   presence    published rows / rows of the population in the class   [0 to 1]
    --   satisfied   0.1 <= presence <= 0.5, compared exactly; never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.split,
        classes.first_1,
        classes.first_2,
        classes.first_3,
        classes.first_4,
        case
            when classes.population_size > 0
                then cast(classes.class_size as double) / classes.population_size
            else cast('infinity' as double)
        end as presence,
        classes.class_size >= 0.1 * classes.population_size
            and classes.class_size <= 0.5 * classes.population_size as satisfied
    from classes as classes
),
k_anonymity as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.split,
        classes.first_1,
        classes.first_2,
        classes.first_3,
        classes.first_4,
        classes.class_size,
        classes.class_size >= 5 as satisfied
    from classes as classes
),
empty_classes as (
    -- splits that leave persons of the population without a class
    select split
    from split_cells
    group by split, first_1, first_2, first_3, first_4
    having sum(row_count) = 0
),
judged_splits as (
    select
        classes.split,
        bool_and(
            coalesce(delta_presence.satisfied, false)
            and coalesce(k_anonymity.satisfied, false)
        ) as holds,
        max(cast(delta_presence.presence as double)) as measured
    from classes
    left join delta_presence
        on delta_presence.split = classes.split
        and delta_presence.first_1 = classes.first_1
        and delta_presence.first_2 = classes.first_2
        and delta_presence.first_3 = classes.first_3
        and delta_presence.first_4 = classes.first_4
    left join k_anonymity
        on k_anonymity.split = classes.split
        and k_anonymity.first_1 = classes.first_1
        and k_anonymity.first_2 = classes.first_2
        and k_anonymity.first_3 = classes.first_3
        and k_anonymity.first_4 = classes.first_4
    group by classes.split
)
select
    split,
    holds and not exists (
        select 1
        from empty_classes
        where empty_classes.split = judged_splits.split
    ) as holds,
    coalesce(measured, 0) as measured
from judged_splits
order by split
