-- missing_weights: rows whose weight is missing, or no number of 1 or more
-- reads:   weighted_classes
-- returns: one row with their number   [rows]
select cast(sum(missing_count) as bigint) as missing_count
from sqlanon.weighted_classes
