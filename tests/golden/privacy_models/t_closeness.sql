-- t_closeness_equal: in every class the values of disease are spread as in the whole
--   table, to a distance of 1 (equal)
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness
-- reads:   classes, class_values_of_disease, sqlanon.table_values_of_disease of
--   disease
-- returns: one row per equivalence class
--   distance    half the sum over all values of |share in class - share in table|; only
--               values above their share in the table are summed, because the others
--               make up the other half   [0 to 1]
--   satisfied   distance <= 1, within a tolerance of 1e-9; never null
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share
    from sqlanon.table_values_of_disease as table_values
),
class_distances as (
    select
        class_values.class,
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
    group by class_values.class, classes.class_size
)
select
    class_distances.class,
    class_distances.distance,
    class_distances.distance <= 1 + 0.000000001 as satisfied
from class_distances
-- t_closeness_ordered: in every class the values of disease are spread as in the
--   whole table, to a distance of 1 (ordered)
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness
-- reads:   sqlanon.published_equivalence_classes,
--   sqlanon.published_class_values_of_disease,
--   sqlanon.published_table_values_of_disease of disease
-- returns: one row per equivalence class
--   distance    sum over the table's values, in order, of |share up to the value in the
--               class - in the table| / (number of values - 1); 0 for a single value
--               [0 to 1]
--               infinite if a person has several values in the class or in the table
--   satisfied   distance <= 1, within a tolerance of 1e-9; never null
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
    from sqlanon.published_table_values_of_disease as table_values
),
class_places as (
    -- every value of the table for every class, present or not
    select
        classes.history,
        classes.class_size,
        table_shares.step_count,
        sum(
            coalesce(class_values.value_count, 0) / cast(classes.class_size as double)
                - table_shares.share
        ) over (
            partition by classes.history
            order by table_shares.place
            rows between unbounded preceding and current row
        ) as moved_share
    from sqlanon.published_equivalence_classes as classes
    cross join table_shares
    left join sqlanon.published_class_values_of_disease as class_values
        on class_values.history is not distinct from classes.history
        and class_values.value = table_shares.value
),
class_distances as (
    select
        class_places.history,
        class_places.class_size,
        coalesce(
            sum(abs(class_places.moved_share)) / min(class_places.step_count),
            0
        ) as distance
    from class_places
    group by class_places.history, class_places.class_size
)
,
table_totals as (
    select
        sum(table_values.row_count) > max(table_values.table_size) as has_several
    from sqlanon.published_table_values_of_disease as table_values
),
class_totals as (
    -- has_several: persons with several values are there, so that shares sum to more than 1
    select
        classes.history,
        bool_or(table_totals.has_several)
            or sum(class_values.value_count) > classes.class_size as has_several
    from sqlanon.published_class_values_of_disease as class_values
    inner join sqlanon.published_equivalence_classes as classes
        on classes.history is not distinct from class_values.history
    cross join table_totals
    group by classes.history, classes.class_size
),
judged_distances as (
    select
        class_distances.history,
        class_distances.class_size,
        case
            when class_totals.has_several then cast('infinity' as double)
            else class_distances.distance
        end as distance
    from class_distances
    inner join class_totals
        on class_totals.history is not distinct from class_distances.history
)
select
    judged_distances.history,
    judged_distances.distance,
    judged_distances.distance <= 1 + 0.000000001 as satisfied
from judged_distances
-- t_closeness_hierarchical: in every class the values of disease are spread as in the
--   whole table, to a distance of 1 (hierarchical)
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness
-- reads:   sqlanon.published_equivalence_classes,
--   sqlanon.published_class_values_of_disease,
--   sqlanon.published_table_values_of_disease, sqlanon.value_levels_of_disease of
--   disease
-- returns: one row per equivalence class
--   distance    earth mover's distance between the shares in the class and in the
--               table, where the distance of two values is the height of their first
--               common label: the mean over all levels below the top of half the sum
--               over labels of |share in class - share in table|   [0 to 1]
--   satisfied   distance <= 1, within a tolerance of 1e-9; never null
-- nulls:   a missing value is a value of its own
with labels as (
    select value_levels.value, value_levels.level, value_levels.label
    from sqlanon.value_levels_of_disease as value_levels
    where value_levels.level
        < (select max(level) from sqlanon.value_levels_of_disease as all_levels)
),
table_shares as (
    -- the share of each label in the table, repeated for every value below it
    select
        labels.value,
        labels.level,
        dense_rank() over (
            order by labels.level, labels.label nulls last
        ) as label_number,
        sum(table_values.row_count) over (
            partition by
                labels.level,
                labels.label
        )
            / cast(table_values.table_size as double) as share
    from labels
    inner join sqlanon.published_table_values_of_disease as table_values
        on table_values.value = labels.value
),
class_shares as (
    -- labels that occur in the class; only those above their share are summed below
    select
        class_values.age, class_values.zip,
        classes.class_size,
        sum(class_values.value_count) / cast(classes.class_size as double)
            - min(table_shares.share) as surplus
    from sqlanon.published_class_values_of_disease as class_values
    inner join table_shares
        on table_shares.value = class_values.value
    inner join sqlanon.published_equivalence_classes as classes
        on classes.age is not distinct from class_values.age
        and classes.zip is not distinct from class_values.zip
    group by class_values.age, class_values.zip, classes.class_size, table_shares.label_number
),
class_distances as (
    select
        class_shares.age, class_shares.zip,
        class_shares.class_size,
        coalesce(
            sum(greatest(class_shares.surplus, 0))
                / (select count(distinct level) from labels),
            0
        ) as distance
    from class_shares
    group by class_shares.age, class_shares.zip, class_shares.class_size
)
select
    class_distances.age, class_distances.zip,
    class_distances.distance,
    class_distances.distance <= 1 + 0.000000001 as satisfied
from class_distances
