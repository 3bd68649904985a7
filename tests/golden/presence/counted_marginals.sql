-- presence_counted_marginals: the published counts, for counting
-- reads:   sqlanon.presence_marginals
-- returns: one row per bucket, column group and value, with its rows
select bucket, group_number, value, row_count
from sqlanon.presence_marginals
order by bucket, group_number, value
