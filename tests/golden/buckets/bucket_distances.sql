-- bucket_distances: how far the distribution of values in each bucket is from the table's
-- reads:   class_cells, table_values_1
-- returns: one row per bucket
--   rows, distinct_values   rows and distinct values of disease
--   distance   earth mover's distance to the table with equal ground distances   [0 to 1]
with class_values_1 as (
    -- rows of each class with each value of disease
    select
        class,
        value_1 as value,
        cast(sum(row_count) as bigint) as value_count
    from sqlanon.class_cells
    group by class, value_1
),
classes as (
    select
        class,
        cast(sum(row_count) as bigint) as class_size
    from sqlanon.class_cells
    group by class
),
t_closeness as (
    -- t_closeness_equal: in every class the values of disease are spread as in the whole
    --   table, to a distance of 1 (equal)
    -- source:  Li, Li and Venkatasubramanian 2007, t-closeness
    -- reads:   classes, class_values_1, sqlanon.table_values_1 of disease
    -- returns: one row per equivalence class
    --   distance    half the sum over all values of |share in class - share in table|; only
    --               values above their share in the table are summed, because the others
    --               make up the other half   [0 to 1]
    --   satisfied   distance <= 1, within a tolerance of 1e-9; never null
    -- nulls:   a missing value is a value of its own
    with table_shares as (
        select
            table_values.value,
            table_values.row_count
                / sum(cast(table_values.row_count as double))
                over () as share
        from sqlanon.table_values_1 as table_values
    ),
    class_distances as (
        select
            classes.class,
            classes.class_size,
            sum(
                greatest(
                    class_values.value_count / cast(classes.class_size as double)
                        - table_shares.share,
                    0
                )
            ) as distance
        from class_values_1 as class_values
        inner join table_shares
            on table_shares.value = class_values.value
        inner join classes as classes
            on classes.class is not distinct from class_values.class
        group by classes.class, classes.class_size
    )
    select
        class_distances.class,
        class_distances.distance,
        class_distances.distance <= 1 + 0.000000001 as satisfied
    from class_distances
),
distinct_values as (
    select class, count(*) as distinct_values
    from class_values_1
    group by class
)
select
    classes.class as bucket,
    classes.class_size as rows,
    distinct_values.distinct_values,
    t_closeness.distance
from classes
inner join distinct_values on distinct_values.class = classes.class
inner join t_closeness on t_closeness.class = classes.class
