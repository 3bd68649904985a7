-- tried_splits: whether the promises hold if one of these cuts is made of a whole attribute
-- reads:   cells, places
-- returns: one row per split
--   holds     true if every promise holds in every class that the split makes
--   measured  measure of the first promise for these classes
with intervals (attribute_number, first_place, last_place) as (
    -- the intervals of all attributes before the split
    values
        (1, 0, 9),
        (1, 10, 99),
        (2, 0, 30),
        (3, 0, 1),
        (4, 0, 4)
),
pieces (split, attribute_number, first_place, last_place) as (
    -- one row per split and interval that it makes of one of them
    values
        (0, 1, 0, 4),
        (0, 1, 5, 9),
        (1, 1, 10, 20),
        (1, 1, 21, 99)
),
place_intervals as (
    -- one row per attribute and place: the first place of its interval
    select places.attribute_number, places.place, intervals.first_place
    from sqlanon.places
    inner join intervals
        on intervals.attribute_number = places.attribute_number
        and places.place between intervals.first_place and intervals.last_place
),
split_cells as (
    -- one row per split and cell of the interval that it cuts: its intervals after the split
    select
        pieces.split,
        case
            when pieces.attribute_number = 1 then pieces.first_place
            else intervals_of_the_age.first_place
        end as first_place_of_the_age,
        case
            when pieces.attribute_number = 2 then pieces.first_place
            else intervals_of_born.first_place
        end as first_place_of_born,
        case
            when pieces.attribute_number = 3 then pieces.first_place
            else intervals_of_town.first_place
        end as first_place_of_town,
        case
            when pieces.attribute_number = 4 then pieces.first_place
            else intervals_of_select.first_place
        end as first_place_of_select,
        cells.row_count
    from sqlanon.cells
    inner join place_intervals as intervals_of_the_age
        on intervals_of_the_age.attribute_number = 1
        and intervals_of_the_age.place = cells.place_of_the_age
    inner join place_intervals as intervals_of_born
        on intervals_of_born.attribute_number = 2
        and intervals_of_born.place = cells.place_of_born
    inner join place_intervals as intervals_of_town
        on intervals_of_town.attribute_number = 3
        and intervals_of_town.place = cells.place_of_town
    inner join place_intervals as intervals_of_select
        on intervals_of_select.attribute_number = 4
        and intervals_of_select.place = cells.place_of_select
    inner join pieces
        on case pieces.attribute_number
            when 1 then cells.place_of_the_age
            when 2 then cells.place_of_born
            when 3 then cells.place_of_town
            when 4 then cells.place_of_select
        end between pieces.first_place and pieces.last_place
),
classes as (
    -- rows of each class
    select
        split, first_place_of_the_age, first_place_of_born, first_place_of_town,
        first_place_of_select, cast(sum(row_count) as bigint) as class_size
    from split_cells
    group by
        split, first_place_of_the_age, first_place_of_born, first_place_of_town,
        first_place_of_select
),
k_anonymity as (
    -- one row per class: whether it holds k-anonymity
    select
        split, first_place_of_the_age, first_place_of_born, first_place_of_town,
        first_place_of_select,
        class_size, class_size >= 5 as satisfied
    from classes
),
judged_splits as (
    -- one row per split
    select
        classes.split,
        bool_and(
            coalesce(k_anonymity.satisfied, false)
        ) as holds,
        min(cast(k_anonymity.class_size as double)) as measured
    from classes
    left join k_anonymity
        on k_anonymity.split = classes.split
        and k_anonymity.first_place_of_the_age = classes.first_place_of_the_age
        and k_anonymity.first_place_of_born = classes.first_place_of_born
        and k_anonymity.first_place_of_town = classes.first_place_of_town
        and k_anonymity.first_place_of_select = classes.first_place_of_select
    group by classes.split
)
select
    split,
    holds,
    coalesce(measured, 0) as measured
from judged_splits
order by split
