-- presence_contradictions: published values whose rows do not fit their candidates
-- reads:   sqlanon.presence_bounds_2, sqlanon.presence_marginals
-- returns: one row
--   contradictions   values with more rows than candidates, or with fewer rows than candidates
--                    who must be in the table   [values]
with counted_values (bucket, group_number, value, lowest, highest) as (
    select bucket, 1, value_1, sum(lowest), sum(highest)
    from sqlanon.presence_bounds_2
    group by bucket, value_1
    union all select bucket, 2, value_2, sum(lowest), sum(highest)
    from sqlanon.presence_bounds_2
    group by bucket, value_2
)
select count(*) as contradictions
from sqlanon.presence_marginals as marginals
left join counted_values
    on counted_values.bucket = marginals.bucket
    and counted_values.group_number = marginals.group_number
    and counted_values.value = marginals.value
where marginals.row_count > coalesce(counted_values.highest, 0)
    or marginals.row_count < counted_values.lowest
