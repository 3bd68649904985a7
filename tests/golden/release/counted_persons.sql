-- counted_persons: how many persons have a row
-- reads:   person_rows
-- returns: one row
select count(distinct visitor) as persons
from sqlanon.person_rows
