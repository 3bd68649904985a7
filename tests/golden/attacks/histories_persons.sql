-- histories_persons: the persons of each class
-- reads:   histories_published, histories_placed
-- returns: one row per class
--   persons       those whose rows fit it, and at most its rows
select published.class, least(published.persons, count(distinct placed.person)) as persons
from sqlanon.histories_published as published
inner join sqlanon.histories_placed as placed on placed.class = published.class
group by published.class, published.persons
