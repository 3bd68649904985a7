-- presence_bounds_1_changes: whether another round may tighten the bounds
-- reads:   sqlanon.presence_bounds_1
-- returns: one row
--   changes   rows that the last round changed
select count(*) filter (where changed) as changes
from sqlanon.presence_bounds_1
