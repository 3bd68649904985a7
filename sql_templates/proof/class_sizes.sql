-- class_sizes: how large the equivalence classes are
-- reads:   published_equivalence_classes
-- returns: one row
--   class_count          classes
--   row_count            rows, or persons where the plan counts those
--   unique_count         rows that share their quasi-identifiers with no other
--   smallest, median, largest   class sizes
select
    count(*) as class_count,
    cast(coalesce(sum(class_size), 0) as bigint) as row_count,
    count(*) filter (where class_size = 1) as unique_count,
    min(class_size) as smallest,
    quantile_disc(class_size, 0.5) as median,
    max(class_size) as largest
from sqlanon.published_equivalence_classes
