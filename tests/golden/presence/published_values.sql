-- presence_values_1: the published values of column group 1 in each bucket
--   columns that stay together in each row: age
-- reads:   sqlanon.published_rows
-- returns: one row per bucket and published value of the whole column group
--   label_1, ...   the columns, as text
--   value       number of the row, from 1
--   code        number of the published value, the same in every bucket
--   row_count   [rows]
-- nulls:   a null is a label of its own
with labels as (
    select bucket, cast(age as varchar) as label_1
    from sqlanon.published_rows
),
counted_labels as (
    select bucket, label_1, count(*) as row_count
    from labels
    group by bucket, label_1
)
select
    bucket,
    label_1,
    row_number() over (order by bucket, label_1 nulls first) as value,
    dense_rank() over (order by label_1 nulls first) as code,
    row_count
from counted_labels
