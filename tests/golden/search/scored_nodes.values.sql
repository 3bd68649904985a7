-- scored_nodes: what each of 2 lattice nodes would publish and suppress
-- reads:   frequency_set
-- returns: one row per node
--   class_count      classes of the publication                     [classes]
--   published_rows   rows of published classes                      [rows]
--   suppressed_rows  all other rows                                 [rows]
--   failing_rows     rows of classes for which a model fails        [rows]
--   all_classes      classes before suppression                     [classes]
--   hopeless_rows    lower bound on the rows that no finer node can publish   [rows]
with nodes (
    node, mask_1
) as (
    values
        (0, 120),
        (1, 20)
),
rolled_up_set as (
    -- all nodes are at or above this one, so its coarser frequency set is sufficient
    select
        key_1 & 120 as key_1,
        value_1,
        value_2,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by
        key_1 & 120,
        value_1,
        value_2
),
class_values_1 as (
    -- rows of each class with each value of diagnosis
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.value_1 as value,
        cast(sum(frequency_set.row_count) as bigint) as value_count
    from nodes
    cross join rolled_up_set as frequency_set
    group by
        nodes.node,
        frequency_set.key_1 & nodes.mask_1,
        frequency_set.value_1
),
class_values_2 as (
    -- rows of each class with each value of salary
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        frequency_set.value_2 as value,
        cast(sum(frequency_set.row_count) as bigint) as value_count
    from nodes
    cross join rolled_up_set as frequency_set
    group by
        nodes.node,
        frequency_set.key_1 & nodes.mask_1,
        frequency_set.value_2
),
classes as (
    select
        node, class_1,
        cast(sum(value_count) as bigint) as class_size
    from class_values_1
    group by node, class_1
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
        classes.node,
        classes.class_1,
        classes.class_size,
        case
            when classes.class_size >= 5 then 0
            else classes.class_size
        end as excess_rows,
        classes.class_size >= 5 as satisfied
    from classes as classes
),
t_closeness_2 as (
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
            classes.node,
            classes.class_1,
            classes.class_size,
            sum(class_values.value_count) / cast(classes.class_size as double)
                - min(table_shares.share) as surplus
        from class_values_1 as class_values
        inner join table_shares
            on table_shares.value = class_values.value
        inner join classes as classes
            on classes.node is not distinct from class_values.node
            and classes.class_1 is not distinct from class_values.class_1
        group by
            classes.node,
            classes.class_1,
            classes.class_size,
            table_shares.label_number
    ),
    class_distances as (
        select
            class_shares.node,
            class_shares.class_1,
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
        class_distances.node,
        class_distances.class_1,
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
t_closeness_3 as (
    -- t_closeness_ordered: in every class the values of salary are spread as in the whole
    --   table, to a distance of 0.2 (ordered)
    -- source:  Li, Li and Venkatasubramanian 2007, t-closeness
    -- reads:   classes, class_values_2, sqlanon.table_values_2 of salary
    -- returns: one row per equivalence class
    --   distance    sum over the table's values, in order, of |share up to the value in the
    --               class - in the table| / (number of values - 1); 0 for a single value
    --               [0 to 1]
    --   satisfied   distance <= 0.2, within a tolerance of 1e-9; never null
    --   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
    --                 the distance is convex and at most 1: if kept parts are at t and a share x
    --                 of the rows is left out, it is at most (1 - x) t + x
    -- nulls:   a missing value is a value of its own, the last in order
    with table_shares as (
        select
            table_values.value,
            table_values.place,
            table_values.row_count
                / sum(cast(table_values.row_count as double))
                over () as share,
            nullif(
                count(*) over () - 1,
                0
            ) as step_count
        from sqlanon.table_values_2 as table_values
    ),
    class_places as (
        -- every value of the table for every class, present or not
        select
            classes.node,
            classes.class_1,
            classes.class_size,
            table_shares.step_count,
            sum(
                coalesce(class_values.value_count, 0) / cast(classes.class_size as double)
                    - table_shares.share
            ) over (
                partition by classes.node, classes.class_1
                order by table_shares.place
                rows between unbounded preceding and current row
            ) as moved_share
        from classes as classes
        cross join table_shares
        left join class_values_2 as class_values
            on class_values.node is not distinct from classes.node
            and class_values.class_1 is not distinct from classes.class_1
            and class_values.value = table_shares.value
    ),
    class_distances as (
        select
            class_places.node,
            class_places.class_1,
            class_places.class_size,
            coalesce(
                sum(abs(class_places.moved_share)) / min(class_places.step_count),
                0
            ) as distance
        from class_places
        group by class_places.node, class_places.class_1, class_places.class_size
    )
    select
        class_distances.node,
        class_distances.class_1,
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
k_e_anonymity as (
    -- k_e_anonymity: every class holds at least 2 different values of salary, at least 10
    --   apart from the least to the greatest
    -- source:  Zhang, Koudas, Srivastava and Yu 2007, Aggregate query answering
    -- reads:   class_values_2, sqlanon.table_values_2 of salary
    -- returns: one row per equivalence class
    --   value_range   largest minus smallest number in the class
    --   satisfied     different numbers >= 2 and value_range >= 10, to a
    --                 tolerance of 1e-9; never null
    --   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
    --                 all rows of a failing class
    -- nulls:   a missing value is not a number and counts neither as a value nor for the range
    with class_ranges as (
        select
            class_values.node,
            class_values.class_1,
            cast(sum(class_values.value_count) as bigint) as value_total,
            count(distinct table_values.number) as number_count,
            coalesce(max(table_values.number) - min(table_values.number), 0) as value_range
        from class_values_2 as class_values
        inner join sqlanon.table_values_2 as table_values
            on table_values.value = class_values.value
        group by class_values.node, class_values.class_1
    )
    select
        class_ranges.node,
        class_ranges.class_1,
        class_ranges.value_range,
        case
            when class_ranges.number_count >= 2
                and class_ranges.value_range >= 10 - 0.000000001 then 0
            else class_ranges.value_total
        end as excess_rows,
        class_ranges.number_count >= 2
            and class_ranges.value_range >= 10 - 0.000000001 as satisfied
    from class_ranges
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    -- hopeless_rows: lower bound on the rows that no finer node can publish
    select
        classes.node,
        classes.class_1,
        classes.class_size,
        greatest(
            k_anonymity.excess_rows,
            t_closeness_2.excess_rows,
            t_closeness_3.excess_rows,
            k_e_anonymity.excess_rows
        ) as hopeless_rows,
        k_anonymity.satisfied
            and t_closeness_2.satisfied
            and t_closeness_3.satisfied
            and k_e_anonymity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
    inner join t_closeness_2
        on t_closeness_2.node = classes.node
        and t_closeness_2.class_1 = classes.class_1
    inner join t_closeness_3
        on t_closeness_3.node = classes.node
        and t_closeness_3.class_1 = classes.class_1
    inner join k_e_anonymity
        on k_e_anonymity.node = classes.node
        and k_e_anonymity.class_1 = classes.class_1
),
decided_classes as (
    -- all rows of failing classes are suppressed
    select
        node,
        class_1,
        class_size,
        satisfied,
        hopeless_rows,
        satisfied as published
    from judged_classes
)
select
    decided_classes.node,
    count(*) filter (where published) as class_count,
    cast(coalesce(sum(class_size) filter (where published), 0) as bigint) as published_rows,
    cast(coalesce(sum(class_size) filter (where not published), 0) as bigint) as suppressed_rows,
    cast(coalesce(sum(class_size) filter (where not satisfied), 0) as bigint) as failing_rows,
    count(*) as all_classes,
    cast(
        sum(hopeless_rows) as bigint
    ) as hopeless_rows
from decided_classes
group by decided_classes.node
order by decided_classes.node
