{#- inputs: distances_sql str -#}
-- measured_distances: how far buckets are from the table, all together
-- reads:   class_cells
-- returns: one row: the largest and the mean distance over buckets; the fewest distinct values
with bucket_distances as (
{{ distances_sql | indent(4, first=true) }}
)
select max(distance) as largest_distance, avg(distance) as mean_distance, min(distinct_values) as fewest_values
from bucket_distances
