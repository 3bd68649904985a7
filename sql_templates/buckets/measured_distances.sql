-- measured_distances: the distances of all buckets to the table
-- reads:   bucket_distances
-- returns: one row: the largest and the mean distance over buckets; the fewest distinct values
select
    max(distance) as largest_distance,
    avg(distance) as mean_distance,
    min(distinct_values) as fewest_values
from sqlanon.bucket_distances
