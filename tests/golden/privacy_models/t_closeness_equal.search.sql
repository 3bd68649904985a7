-- t_closeness_equal: in every class the values of diagnosis are spread as in the
--   whole table, to a distance of 0.2 (equal)
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness
-- reads:   sqlanon.classes, sqlanon.class_values_of_diagnosis,
--   sqlanon.table_values_of_diagnosis of diagnosis
-- returns: one row per equivalence class
--   distance    half the sum over all values of |share in class - share in table|; only
--               values above their share in the table are summed, because the others
--               make up the other half   [0 to 1]
--   satisfied   distance <= 0.2, within a tolerance of 1e-9; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 the distance is convex and at most 1: if kept parts are at t and a share x
--                 of the rows is left out, it is at most (1 - x) t + x
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        table_values.node,
        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share
    from sqlanon.table_values_of_diagnosis as table_values
),
class_distances as (
    select
        classes.node, classes.class_1,
        classes.class_size,
        sum(
            greatest(
                class_values.value_count / cast(classes.class_size as double)
                    - table_shares.share,
                0
            )
        ) as distance
    from sqlanon.class_values_of_diagnosis as class_values
    inner join table_shares
        on table_shares.value = class_values.value
        and table_shares.node = class_values.node
    inner join sqlanon.classes as classes
        on classes.node is not distinct from class_values.node
        and classes.class_1 is not distinct from class_values.class_1
    group by classes.node, classes.class_1, classes.class_size
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
