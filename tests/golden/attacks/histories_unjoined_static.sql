-- histories_left_static: where nothing joins rows, persons of the largest class that what never
--   changes fits
-- reads:   histories_rows, histories_person_tree, histories_static_boxes_fitting
-- returns: one row per person who fits a class
--   remaining     persons, at least
with points as (
    select persons, unnest(range(first_position, last_position + 1)) as position
    from sqlanon.histories_static_boxes_fitting
)
select rows.person, max(points.persons) as remaining
from sqlanon.histories_rows as rows
inner join sqlanon.histories_person_tree as tree
    on tree.at_1 = rows.at_1
inner join points on points.position = tree.position
where rows.known_number = 1
group by rows.person
