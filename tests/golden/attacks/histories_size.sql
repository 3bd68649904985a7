-- histories_person_tree_size: the number of distinct combinations of places
-- reads:   histories_rows
-- returns: one row
select count(*)
from (
    select distinct at_1
    from sqlanon.histories_rows
) as points
