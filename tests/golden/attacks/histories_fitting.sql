-- histories_boxes_fitting: which known combinations published labels cover; whole cells are not
--   divided
-- reads:   histories_person_tree, histories_boxes
-- returns: one row per cell of combinations that is covered
--   first_position, last_position   of the combinations
--   pseudonyms    pseudonyms with row_total rows that cover the cell
with recursive cells as (
    select
        0 as depth,
        cell_0 as cell,
        cast(-1 as bigint) as parent,
        min(position) as first_position,
        max(position) as last_position,
        min(at_1) as least_1,
        max(at_1) as most_1
    from sqlanon.histories_person_tree
    group by cell_0
    union all select
        1 as depth,
        cell_1 as cell,
        cell_0 as parent,
        min(position) as first_position,
        max(position) as last_position,
        min(at_1) as least_1,
        max(at_1) as most_1
    from sqlanon.histories_person_tree
    group by cell_1, cell_0
),
boxes as (
    select *
    from sqlanon.histories_boxes
),
fitting as (
    select
        boxes.extent,
        -1 as depth,
        cast(-1 as bigint) as cell,
        0 as first_position,
        0 as last_position,
        false as is_covered
    from boxes
    union all
    select
        fitting.extent,
        cells.depth,
        cells.cell,
        cells.first_position,
        cells.last_position,
        cells.least_1 >= boxes.first_1 and cells.most_1 <= boxes.last_1
    from fitting
    inner join cells
        on cells.depth = fitting.depth + 1
        and cells.parent = fitting.cell
    inner join boxes
        on boxes.extent = fitting.extent
        and cells.most_1 >= boxes.first_1
        and cells.least_1 <= boxes.last_1
    where not fitting.is_covered
)
select
    boxes.row_total,
    fitting.first_position,
    fitting.last_position,
    cast(sum(boxes.pseudonyms) as bigint) as pseudonyms
from fitting
inner join boxes on boxes.extent = fitting.extent
where fitting.is_covered
group by boxes.row_total, fitting.first_position, fitting.last_position
