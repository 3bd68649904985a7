-- published_values: how often each value of disease occurs in each bucket; the second
--   table of the publication, in a staging file until it is proven
-- reads:   dealt_rows, row_combinations
-- returns: one row per bucket and value
--   row_count   rows of the bucket with this value   [rows]
-- order:   by bucket and value
select
    bucketed.bucket,
    combinations.disease,
    count(*) as row_count
from sqlanon.dealt_rows as bucketed
inner join sqlanon.row_combinations as combinations
    on combinations.combination = bucketed.combination
group by bucketed.bucket, combinations.disease
order by bucketed.bucket, combinations.disease
