-- one_class: the promises for all rows as one equivalence class, the most general publication;
--   a promise that fails here and is monotone under generalization fails for every publication
-- reads:   cells
-- returns: one row; for each promise its measure, whether it holds, and a lower bound on the rows
--   that no publication can keep (null if the promise gives none)
with all_cells as (
    select *, 1 as class
    from sqlanon.cells
),
class_values_1 as (
    -- rows of each class with each value of diagnosis
    select
        class,
        value_1 as value,
        cast(sum(row_count) as bigint) as value_count
    from all_cells
    group by class, value_1
),
classes as (
    select
        class,
        cast(sum(row_count) as bigint) as class_size
    from all_cells
    group by class
),
k_anonymity as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    --   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.class,
        classes.class_size,
        case
            when classes.class_size >= 5 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 5 as satisfied
    from classes as classes
),
l_diversity as (
    -- l_diversity_distinct: every class holds at least 3 different values of diagnosis
    -- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
    -- reads:   class_values_1, how often each value of diagnosis occurs in each class
    -- returns: one row per equivalence class
    --   diversity   different values   [values]
    --   satisfied   diversity >= 3; never null
    --   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
    --                 all rows of a failing class
    -- nulls:   a missing value is a value of its own
    select
        class_values.class,
        count(*) as diversity,
        case
            when count(*) >= 3 then 0
            else cast(sum(class_values.value_count) as bigint)
        end as excess_rows,
        count(*) >= 3 as satisfied
    from class_values_1 as class_values
    group by class_values.class
),
t_closeness as (
    -- t_closeness_hierarchical: in every class the values of diagnosis are spread as in
    --   the whole table, to a distance of 0.2 (hierarchical)
    -- source:  Li, Li and Venkatasubramanian 2007, t-closeness
    -- reads:   classes, class_values_1, sqlanon.table_values_1, sqlanon.value_levels_1 of
    --   diagnosis
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
        from sqlanon.value_levels_1 as value_levels
        where value_levels.level
            < (select max(level) from sqlanon.value_levels_1 as all_levels)
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
                / sum(cast(table_values.row_count as double)) over (
                    partition by labels.level
                ) as share
        from labels
        inner join sqlanon.table_values_1 as table_values
            on table_values.value = labels.value
    ),
    class_shares as (
        -- labels that occur in the class; only those above their share are summed below
        select
            classes.class,
            classes.class_size,
            sum(class_values.value_count) / cast(classes.class_size as double)
                - min(table_shares.share) as surplus
        from class_values_1 as class_values
        inner join table_shares
            on table_shares.value = class_values.value
        inner join classes as classes
            on classes.class is not distinct from class_values.class
        group by classes.class, classes.class_size, table_shares.label_number
    ),
    class_distances as (
        select
            class_shares.class,
            class_shares.class_size,
            coalesce(
                sum(greatest(class_shares.surplus, 0))
                    / (select count(distinct level) from labels),
                0
            ) as distance
        from class_shares
        group by class_shares.class, class_shares.class_size
    )
    select
        class_distances.class,
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
),
judged as (
    select
        k_anonymity.class_size as measure_1,
        k_anonymity.satisfied as satisfied_1,
        k_anonymity.excess_rows as excess_1,
        l_diversity.diversity as measure_2,
        l_diversity.satisfied as satisfied_2,
        l_diversity.excess_rows as excess_2,
        t_closeness.distance as measure_3,
        t_closeness.satisfied as satisfied_3,
        t_closeness.excess_rows as excess_3
    from k_anonymity cross join l_diversity cross join t_closeness
)
select *
from judged
