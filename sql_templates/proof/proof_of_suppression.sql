{#- inputs: whole bool, limit Decimal, rows int -#}
{% import "proof/_suppression.sql" as suppression %}
-- proof_of_suppression: no more rows are suppressed than the plan allows
-- reads:   source_rows, published_rows
-- returns: one row if too many are missing, or some are not of the source; otherwise no row
with {{ suppression.counts() }}
select source_count.row_count as source_rows, published_count.row_count as published_rows
from source_count
cross join published_count
where {{ suppression.rows_are_missing(whole, limit, rows) }}
