-- membership_9_roots_0: buckets and published values before any of them are merged
-- reads:   sqlanon.membership_9_values_1, sqlanon.membership_9_values_2
-- returns: one row per bucket (group_number 0) and published value
--   root      lowest number known to be merged with it: its own
--   changed   true: the next round may find a lower number
select distinct 0 as group_number, bucket as value, bucket as root, true as changed
from sqlanon.membership_9_values_1
union all
select 1, value, value, true
from sqlanon.membership_9_values_1
union all
select 2, value, value, true
from sqlanon.membership_9_values_2
