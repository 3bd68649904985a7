-- t_closeness_hierarchical: in every class the values of diagnosis are spread as in
--   the whole table, to a distance of 0.2 (hierarchical)
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness
-- reads:   sqlanon.classes, sqlanon.class_values_of_diagnosis,
--   sqlanon.table_values_of_diagnosis, sqlanon.value_levels_of_diagnosis of diagnosis
-- returns: one row per equivalence class
--   distance    earth mover's distance between the shares in the class and in the
--               table, where the distance of two values is the height of their first
--               common label: the mean over all levels below the top of half the sum
--               over labels of |share in class - share in table|   [0 to 1]
--   satisfied   distance <= 0.2, within a tolerance of 1e-9; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 the distance is convex and at most 1: if kept parts are at t and a share x
--                 of the rows is left out, it is at most (1 - x) t + x
-- nulls:   a missing value is a value of its own
with labels as (
    select value_levels.value, value_levels.level, value_levels.label
    from sqlanon.value_levels_of_diagnosis as value_levels
    where value_levels.level
        < (select max(level) from sqlanon.value_levels_of_diagnosis as all_levels)
),
table_shares as (
    -- the share of each label in the table, repeated for every value below it
    select
        table_values.node,
        labels.value,
        labels.level,
        dense_rank() over (
            order by labels.level, labels.label nulls last
        ) as label_number,
        sum(table_values.row_count) over (
            partition by
                table_values.node, labels.level,
                labels.label
        )
            / cast(table_values.table_size as double) as share
    from labels
    inner join sqlanon.table_values_of_diagnosis as table_values
        on table_values.value = labels.value
),
class_shares as (
    -- labels that occur in the class; only those above their share are summed below
    select
        classes.node, classes.class_1,
        classes.class_size,
        sum(class_values.value_count) / cast(classes.class_size as double)
            - min(table_shares.share) as surplus
    from sqlanon.class_values_of_diagnosis as class_values
    inner join table_shares
        on table_shares.value = class_values.value
        and table_shares.node = class_values.node
    inner join sqlanon.classes as classes
        on classes.node is not distinct from class_values.node
        and classes.class_1 is not distinct from class_values.class_1
    group by classes.node, classes.class_1, classes.class_size, table_shares.label_number
),
class_distances as (
    select
        class_shares.node, class_shares.class_1,
        class_shares.class_size,
        coalesce(
            sum(greatest(class_shares.surplus, 0))
                / (select count(distinct level) from labels),
            0
        ) as distance
    from class_shares
    group by class_shares.node, class_shares.class_1, class_shares.class_size
)
select
    class_distances.node, class_distances.class_1,
    class_distances.distance,
    case when class_distances.distance <= 0.2 + 0.000000001 then 0
        else greatest(
            1,
            ceil(
                class_distances.class_size
                    * (class_distances.distance - 0.2 - 0.000000001)
                    / (1 - 0.2)
                    - 0.000001
            )
        )
    end as excess_rows,
    class_distances.distance <= 0.2 + 0.000000001 as satisfied
from class_distances
