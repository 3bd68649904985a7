-- t_closeness_ordered: in every class the values of diagnosis are spread as in the
--   whole table, to a distance of 0.2 (ordered)
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness
-- reads:   sqlanon.classes, sqlanon.class_values_of_diagnosis,
--   sqlanon.table_values_of_diagnosis of diagnosis
-- returns: one row per equivalence class
--   distance    sum over the table's values, in order, of |share up to the value in the
--               class - in the table| / (number of values - 1); 0 for a single value
--               [0 to 1]
--   satisfied   distance <= 0.2, within a tolerance of 1e-9; never null
-- nulls:   a missing value is a value of its own, the last in order
with table_shares as (
    select
        table_values.value,
        table_values.place,
        table_values.row_count / cast(table_values.table_size as double) as share,
        nullif(
            count(*) over () - 1,
            0
        ) as step_count
    from sqlanon.table_values_of_diagnosis as table_values
),
class_places as (
    -- every value of the table for every class, present or not
    select
        classes."the ""age""", classes.sex,
        classes.class_size,
        table_shares.step_count,
        sum(
            coalesce(class_values.value_count, 0) / cast(classes.class_size as double)
                - table_shares.share
        ) over (
            partition by classes."the ""age""", classes.sex
            order by table_shares.place
            rows between unbounded preceding and current row
        ) as moved_share
    from sqlanon.classes as classes
    cross join table_shares
    left join sqlanon.class_values_of_diagnosis as class_values
        on class_values."the ""age""" is not distinct from classes."the ""age"""
        and class_values.sex is not distinct from classes.sex
        and class_values.value = table_shares.value
),
class_distances as (
    select
        class_places."the ""age""", class_places.sex,
        class_places.class_size,
        coalesce(
            sum(abs(class_places.moved_share)) / min(class_places.step_count),
            0
        ) as distance
    from class_places
    group by class_places."the ""age""", class_places.sex, class_places.class_size
)
select
    class_distances."the ""age""", class_distances.sex,
    class_distances.distance,
    class_distances.distance <= 0.2 + 0.000000001 as satisfied
from class_distances
