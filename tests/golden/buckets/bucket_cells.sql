-- class_cells: what the buckets are made of
-- reads:   dealt_rows, table_values_1
-- returns: one row per bucket and distinct combination
--   class       number of the bucket
--   row_count   its rows with this combination   [rows]
select
    dealt_rows.bucket as class,
    values_1.value as value_1,
    count(*) as row_count
from sqlanon.dealt_rows as dealt_rows
left join sqlanon.table_values_1 as values_1
    on values_1.text is not distinct from cast(dealt_rows.disease as varchar)
group by
    dealt_rows.bucket,
    values_1.value
