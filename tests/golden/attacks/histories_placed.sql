-- histories_placed: the classes that each known row fits
-- reads:   histories_rows, histories_combination_tree, histories_classes_fitting
-- returns: one row per known row and class
--   row_count     rows of the person   [rows]
with points as (
    select class, unnest(range(first_position, last_position + 1)) as position
    from sqlanon.histories_classes_fitting
)
select rows.person, rows.known_number, rows.row_count, points.class
from sqlanon.histories_rows as rows
inner join sqlanon.histories_combination_tree as tree
    on tree.at_1 = rows.at_1
    and tree.at_2 = rows.at_2
inner join points on points.position = tree.position
