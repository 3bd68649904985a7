-- published_values: how often each value of disease occurs in each bucket; the second
--   table of the publication, in a staging file until it is proven
-- reads:   dealt_rows, row_combinations
-- returns: one row per bucket and value
--   row_count   rows of the bucket with this value   [rows]
-- order:   by bucket and value
select
    dealt_rows.bucket,
    row_combinations.disease,
    count(*) as row_count
from sqlanon.dealt_rows
inner join sqlanon.row_combinations
    on row_combinations.combination = dealt_rows.combination
group by dealt_rows.bucket, row_combinations.disease
order by dealt_rows.bucket, row_combinations.disease
