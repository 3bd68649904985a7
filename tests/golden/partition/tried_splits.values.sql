-- tried_splits: whether the promises hold if one of these cuts is made of a whole attribute
-- reads:   cells, value_places
-- returns: one row per split
--   holds     true if every promise holds in every class that the split makes
--   measured  measure of the first promise for these classes
with intervals (attribute_number, first_place, last_place) as (
    values
        (1, 0, 9),
        (1, 10, 99),
        (2, 0, 30),
        (3, 0, 1),
        (4, 0, 4)
),
pieces (split, attribute_number, first_place, last_place) as (
    values
        (0, 1, 0, 4),
        (0, 1, 5, 9),
        (1, 1, 10, 20),
        (1, 1, 21, 99)
),
place_intervals as (
    select value_places.attribute_number, value_places.place, intervals.first_place
    from sqlanon.value_places as value_places
    inner join intervals
        on intervals.attribute_number = value_places.attribute_number
        and value_places.place between intervals.first_place and intervals.last_place
),
split_cells as (
    -- the cells of the interval that each split cuts, by their intervals after the split
    select
        pieces.split,
        case
            when pieces.attribute_number = 1 then pieces.first_place
            else intervals_1.first_place
        end as first_1,
        case
            when pieces.attribute_number = 2 then pieces.first_place
            else intervals_2.first_place
        end as first_2,
        case
            when pieces.attribute_number = 3 then pieces.first_place
            else intervals_3.first_place
        end as first_3,
        case
            when pieces.attribute_number = 4 then pieces.first_place
            else intervals_4.first_place
        end as first_4,
        cells.value_1, cells.row_count
    from sqlanon.cells as cells
    inner join place_intervals as intervals_1
        on intervals_1.attribute_number = 1
        and intervals_1.place = cells.place_1
    inner join place_intervals as intervals_2
        on intervals_2.attribute_number = 2
        and intervals_2.place = cells.place_2
    inner join place_intervals as intervals_3
        on intervals_3.attribute_number = 3
        and intervals_3.place = cells.place_3
    inner join place_intervals as intervals_4
        on intervals_4.attribute_number = 4
        and intervals_4.place = cells.place_4
    inner join pieces
        on case pieces.attribute_number
            when 1 then cells.place_1
            when 2 then cells.place_2
            when 3 then cells.place_3
            when 4 then cells.place_4
        end between pieces.first_place and pieces.last_place
),
class_values_1 as (
    -- rows of each class with each value of diagnosis
    select
        split, first_1, first_2, first_3, first_4,
        value_1 as value,
        cast(sum(row_count) as bigint) as value_count
    from split_cells
    group by split, first_1, first_2, first_3, first_4, value_1
),
classes as (
    select
        split, first_1, first_2, first_3, first_4,
        cast(sum(row_count) as bigint) as class_size
    from split_cells
    group by split, first_1, first_2, first_3, first_4
),
k_anonymity as (
    -- k_anonymity: every published row shares its quasi-identifiers with at least 4
    --   others (k = 5)
    -- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
    -- reads:   classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   class_size  rows in the class   [rows]
    --   satisfied   class_size >= 5; never null
    -- nulls:   a null quasi-identifier is a value of its own
    select
        classes.split,
        classes.first_1,
        classes.first_2,
        classes.first_3,
        classes.first_4,
        classes.class_size,
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
    -- nulls:   a missing value is a value of its own
    select
        class_values.split,
        class_values.first_1,
        class_values.first_2,
        class_values.first_3,
        class_values.first_4,
        count(*) as diversity,
        count(*) >= 3 as satisfied
    from class_values_1 as class_values
    group by
        class_values.split,
        class_values.first_1,
        class_values.first_2,
        class_values.first_3,
        class_values.first_4
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
            classes.split,
            classes.first_1,
            classes.first_2,
            classes.first_3,
            classes.first_4,
            classes.class_size,
            sum(class_values.value_count) / cast(classes.class_size as double)
                - min(table_shares.share) as surplus
        from class_values_1 as class_values
        inner join table_shares
            on table_shares.value = class_values.value
        inner join classes as classes
            on classes.split is not distinct from class_values.split
            and classes.first_1 is not distinct from class_values.first_1
            and classes.first_2 is not distinct from class_values.first_2
            and classes.first_3 is not distinct from class_values.first_3
            and classes.first_4 is not distinct from class_values.first_4
        group by
            classes.split,
            classes.first_1,
            classes.first_2,
            classes.first_3,
            classes.first_4,
            classes.class_size,
            table_shares.label_number
    ),
    class_distances as (
        select
            class_shares.split,
            class_shares.first_1,
            class_shares.first_2,
            class_shares.first_3,
            class_shares.first_4,
            class_shares.class_size,
            coalesce(
                sum(greatest(class_shares.surplus, 0))
                    / (select count(distinct level) from labels),
                0
            ) as distance
        from class_shares
        group by
            class_shares.split,
            class_shares.first_1,
            class_shares.first_2,
            class_shares.first_3,
            class_shares.first_4,
            class_shares.class_size
    )
    select
        class_distances.split,
        class_distances.first_1,
        class_distances.first_2,
        class_distances.first_3,
        class_distances.first_4,
        class_distances.distance,
        class_distances.distance <= 0.2 + 0.000000001 as satisfied
    from class_distances
),
judged_splits as (
    select
        classes.split,
        bool_and(
            coalesce(k_anonymity.satisfied, false)
            and coalesce(l_diversity.satisfied, false)
            and coalesce(t_closeness.satisfied, false)
        ) as holds,
        min(cast(k_anonymity.class_size as double)) as measured
    from classes
    left join k_anonymity
        on k_anonymity.split = classes.split
        and k_anonymity.first_1 = classes.first_1
        and k_anonymity.first_2 = classes.first_2
        and k_anonymity.first_3 = classes.first_3
        and k_anonymity.first_4 = classes.first_4
    left join l_diversity
        on l_diversity.split = classes.split
        and l_diversity.first_1 = classes.first_1
        and l_diversity.first_2 = classes.first_2
        and l_diversity.first_3 = classes.first_3
        and l_diversity.first_4 = classes.first_4
    left join t_closeness
        on t_closeness.split = classes.split
        and t_closeness.first_1 = classes.first_1
        and t_closeness.first_2 = classes.first_2
        and t_closeness.first_3 = classes.first_3
        and t_closeness.first_4 = classes.first_4
    group by classes.split
)
select
    split,
    holds,
    coalesce(measured, 0) as measured
from judged_splits
order by split
