-- published_values: how often each value of disease occurs in each bucket; the second
--   table of the publication, in a staging file until it is proven
-- reads:   dealt_rows
-- returns: one row per bucket and value
--   row_count   rows of the bucket with this value   [rows]
-- order:   by bucket and value
select bucket, disease, count(*) as row_count
from sqlanon.dealt_rows
group by bucket, disease
order by bucket, disease
