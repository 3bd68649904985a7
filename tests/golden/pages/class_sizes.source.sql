-- source_class_sizes: how many classes of which size there are
-- reads:   sqlanon.frequency_set
-- returns: one row per range of sizes in which there are classes
--   least_size    the range begins here, and ends before the next one begins
--   class_count   classes in the range                 [classes]
--   member_count  their members, rows or persons
--   smallest, largest   sizes of classes in the range
--   median        size of the median class, of all ranges; the lower one of two
with class_sizes as (
    select count(*) as class_size
    from sqlanon.frequency_set
    where row_count > 0
    group by key_1
),
edges (least_size, next_size) as (
    values
        (1, 2),
        (2, 5),
        (5, 7),
        (7, 10),
        (10, 20),
        (20, 50),
        (50, 100),
        (100, 200),
        (200, 500),
        (500, 1000),
        (1000, 2000),
        (2000, 5000),
        (5000, 10000),
        (10000, 20000),
        (20000, 50000),
        (50000, 100000),
        (100000, 200000),
        (200000, 500000),
        (500000, 1000000),
        (1000000, 2000000),
        (2000000, 5000000),
        (5000000, 10000000),
        (10000000, 20000000),
        (20000000, 50000000),
        (50000000, 100000000),
        (100000000, 200000000),
        (200000000, 500000000),
        (500000000, null)
)
select
    edges.least_size,
    count(*) as class_count,
    cast(sum(class_sizes.class_size) as bigint) as member_count,
    min(class_sizes.class_size) as smallest,
    max(class_sizes.class_size) as largest,
    (select quantile_disc(class_size, 0.5) from class_sizes) as median
from class_sizes
inner join edges
    on class_sizes.class_size >= edges.least_size
    and (edges.next_size is null or class_sizes.class_size < edges.next_size)
group by edges.least_size
order by edges.least_size
