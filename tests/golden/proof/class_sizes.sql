-- class_sizes: the sizes of the equivalence classes
-- reads:   published_equivalence_classes
-- returns: one row
--   class_count          classes   [classes]
--   row_count            rows, or persons if the plan counts persons
--   unique_count         rows that share their quasi-identifiers with no other row
--   smallest, median, largest   class sizes
select
    count(*) as class_count,
    cast(coalesce(sum(class_size), 0) as bigint) as row_count,
    count(*) filter (where class_size = 1) as unique_count,
    min(class_size) as smallest,
    quantile_disc(class_size, 0.5) as median,
    max(class_size) as largest
from sqlanon.published_equivalence_classes
