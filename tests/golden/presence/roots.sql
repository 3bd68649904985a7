-- membership_9_roots_0: buckets and published values, each for itself
-- reads:   sqlanon.membership_9_values_1, sqlanon.membership_9_values_2
-- returns: one row per bucket (group_number 0) and published value
--   root      the lowest number known to stand for the same: its own
--   changed   whether the next round may find a lower one: true
select distinct 0 as group_number, bucket as value, bucket as root, true as changed
from sqlanon.membership_9_values_1
union all
select 1, value, value, true
from sqlanon.membership_9_values_1
union all
select 2, value, value, true
from sqlanon.membership_9_values_2
