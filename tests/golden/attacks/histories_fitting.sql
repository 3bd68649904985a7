-- histories_person_tree_pseudonyms: pseudonyms whose rows together leave a combination of places;
--   cells of the tree that labels cover as a whole are not divided
-- reads:   histories_person_tree, histories_extents
-- returns: one row per cell that is covered, and number of rows
--   first_position, last_position   of its combinations
--   number        pseudonyms with row_total rows
with cells_0 as (
    select
        cell_0 as cell,
        0 as parent,
        min(at_1) as least_1,
        max(at_1) as most_1,
        min(position) as first_position,
        max(position) as last_position
    from sqlanon.histories_person_tree
    group by all
),
cells_1 as (
    select
        cell_1 as cell,
        cell_0 as parent,
        min(at_1) as least_1,
        max(at_1) as most_1,
        min(position) as first_position,
        max(position) as last_position
    from sqlanon.histories_person_tree
    group by all
),
fitting_0 as (
    select
        first_1, last_1, row_total, number, 0 as cell, 0 as first_position, 0 as last_position,
        false as is_covered
    from (
        select first_1, last_1, row_total, count(*) as number
        from sqlanon.histories_extents
        group by all
    ) as boxes
),
fitting_1 as (
    select
        boxes.first_1, boxes.last_1, row_total, number,
        cells.cell,
        cells.first_position,
        cells.last_position,
        cells.least_1 >= boxes.first_1 and cells.most_1 <= boxes.last_1
            as is_covered
    from fitting_0 as boxes
    inner join cells_0 as cells
        on cells.parent = boxes.cell
        and cells.most_1 >= boxes.first_1
        and cells.least_1 <= boxes.last_1
    where not boxes.is_covered
),
fitting_2 as (
    select
        boxes.first_1, boxes.last_1, row_total, number,
        cells.cell,
        cells.first_position,
        cells.last_position,
        cells.least_1 >= boxes.first_1 and cells.most_1 <= boxes.last_1
            as is_covered
    from fitting_1 as boxes
    inner join cells_1 as cells
        on cells.parent = boxes.cell
        and cells.most_1 >= boxes.first_1
        and cells.least_1 <= boxes.last_1
    where not boxes.is_covered
),
covered as (
    select row_total, number, first_position, last_position
    from fitting_1
    where is_covered
    union all select row_total, number, first_position, last_position
    from fitting_2
    where is_covered
)
select
    row_total,
    first_position,
    last_position,
    cast(sum(number) as bigint) as number
from covered
group by row_total, first_position, last_position
