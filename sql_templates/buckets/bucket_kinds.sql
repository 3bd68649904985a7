-- bucket_kinds: the buckets of each kind
-- reads:   class_cells
-- returns: one row per bucket: its number, and the class that has its contents
select class, class + number as bucket
from (
    select class, unnest(range(max(bucket_count))) as number
    from sqlanon.class_cells
    group by class
) as numbered_buckets
