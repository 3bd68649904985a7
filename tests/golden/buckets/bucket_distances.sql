-- bucket_distances: how far the distribution of values in each bucket is from the table's
-- reads:   class_cells, table_values_of_disease
-- returns: one row per bucket
--   rows, distinct_values   rows and distinct values of disease
--   distance   earth mover's distance to the table with equal ground distances   [0 to 1]
with class_values_of_disease as (
    -- rows of each class with each value of disease
    select class, value_of_disease as value, cast(sum(row_count) as bigint) as value_count
    from sqlanon.class_cells
    group by class, value_of_disease
),
classes as (
    -- rows of each class
    select class, cast(sum(value_count) as bigint) as class_size
    from class_values_of_disease
    group by class
),
t_closeness as (
    -- one row per class: whether it holds t-closeness
    with table_shares as (
        select
            table_values.value,
            table_values.row_count / cast(table_values.table_size as double) as share
        from sqlanon.table_values_of_disease as table_values
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
        from class_values_of_disease as class_values
        inner join table_shares
            on table_shares.value = class_values.value
        inner join classes
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
    -- one row per bucket
    select class, count(*) as distinct_values
    from class_values_of_disease
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
