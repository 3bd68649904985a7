-- scored_nodes: what each of 2 lattice nodes would publish and suppress
-- reads:   frequency_set
-- returns: one row per node
--   class_count      classes of the publication                     [classes]
--   published_rows   rows of published classes                      [rows]
--   suppressed_rows  all other rows                                 [rows]
--   failing_rows     rows of classes for which a model fails        [rows]
--   all_classes      classes before suppression                     [classes]
--   hopeless_rows    lower bound on the rows that no finer node can publish   [rows]
--   covered_population  rows of the population that fall into a class   [rows]
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
        cast(sum(population_count) as bigint) as population_count,
        cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by
        key_1 & 120
),
classes as (
    -- key & mask keeps the levels that the node publishes
    select
        nodes.node,
        frequency_set.key_1 & nodes.mask_1 as class_1,
        cast(sum(frequency_set.population_count) as bigint) as population_size,
        cast(sum(frequency_set.row_count) as bigint) as class_size
    from nodes
    cross join rolled_up_set as frequency_set
    group by
        nodes.node,
        frequency_set.key_1 & nodes.mask_1
    having sum(frequency_set.row_count) > 0
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
alone_average_risk as (
    -- average_risk: the chance to identify the person of a row is at most 0.1 on average
    -- source:  El Emam 2013, Guide to the de-identification of personal health data
    -- reads:   classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   average_risk  classes / rows, for this class and the larger ones   [0 to 1]
    --   satisfied     average_risk <= 0.1, compared exactly; never null: if the risk
    --                 of the whole table is too high, the smallest classes fail; of classes
    --                 of equal size the last by key
    -- nulls:   a null quasi-identifier is a value of its own
    with larger_classes as (
        select
            classes.node,
            classes.class_1,
            count(*) over larger as class_count,
            cast(sum(classes.class_size) over larger as bigint) as row_count
        from classes as classes
        window larger as (
            partition by classes.node
            order by classes.class_size desc, classes.node, classes.class_1
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes.node,
        larger_classes.class_1,
        cast(larger_classes.class_count as double) / larger_classes.row_count as average_risk,
        larger_classes.class_count <= 0.1 * larger_classes.row_count as satisfied
    from larger_classes
),
judged_parts as (
    -- satisfied:     every privacy model of single classes holds for the class
    -- hopeless_rows: lower bound on the rows that no finer node can publish
    -- alone_rows:    the same for models of all classes together, as if they were the only ones
    select
        classes.node,
        classes.class_1,
        classes.class_size,
        classes.population_size,
        k_anonymity.excess_rows as hopeless_rows,
        case
            when alone_average_risk.satisfied then 0
            else classes.class_size
        end as alone_rows,
        k_anonymity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_1 = classes.class_1
    inner join alone_average_risk
        on alone_average_risk.node = classes.node
        and alone_average_risk.class_1 = classes.class_1
),
held_classes_1 as (
    -- the classes for which all earlier models hold
    select node, class_1, class_size, population_size
    from judged_parts
    where satisfied
),
average_risk as (
    -- average_risk: the chance to identify the person of a row is at most 0.1 on average
    -- source:  El Emam 2013, Guide to the de-identification of personal health data
    -- reads:   held_classes_1, one row per equivalence class
    -- returns: one row per equivalence class
    --   average_risk  classes / rows, for this class and the larger ones   [0 to 1]
    --   satisfied     average_risk <= 0.1, compared exactly; never null: if the risk
    --                 of the whole table is too high, the smallest classes fail; of classes
    --                 of equal size the last by key
    -- nulls:   a null quasi-identifier is a value of its own
    with larger_classes as (
        select
            classes.node,
            classes.class_1,
            count(*) over larger as class_count,
            cast(sum(classes.class_size) over larger as bigint) as row_count
        from held_classes_1 as classes
        window larger as (
            partition by classes.node
            order by classes.class_size desc, classes.node, classes.class_1
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes.node,
        larger_classes.class_1,
        cast(larger_classes.class_count as double) / larger_classes.row_count as average_risk,
        larger_classes.class_count <= 0.1 * larger_classes.row_count as satisfied
    from larger_classes
),
judged_parts_1 as (
    select
        judged_parts.node,
        judged_parts.class_1,
        judged_parts.class_size,
        judged_parts.population_size,
        judged_parts.hopeless_rows,
        judged_parts.alone_rows,
        judged_parts.satisfied and coalesce(average_risk.satisfied, false) as satisfied
    from judged_parts
    left join average_risk
        on average_risk.node = judged_parts.node
        and average_risk.class_1 = judged_parts.class_1
),
held_classes_2 as (
    -- the classes for which all earlier models hold
    select node, class_1, class_size, population_size
    from judged_parts_1
    where satisfied
),
marketer_risk as (
    -- marketer_risk: linking with the population is right for at most a share of 0.1 of
    --   rows
    -- source:  El Emam 2013, Guide to the de-identification of personal health data
    -- reads:   held_classes_2, one row per equivalence class, population_size included
    -- returns: one row per equivalence class
    --   marketer_risk  mean of 1 / population_size over the rows of this class and of classes
    --                  with larger populations   [0 to 1]
    --   satisfied      marketer_risk <= 0.1, within a tolerance of 1e-9; never null: if the
    --                  risk of the whole table is too high, the classes of the smallest
    --                  populations fail; of classes with equal populations the last by key
    -- nulls:   a null quasi-identifier is a value of its own
    with larger_classes as (
        select
            classes.node,
            classes.class_1,
            sum(
                case
                    when classes.population_size > 0
                        then cast(classes.class_size as double) / classes.population_size
                    else cast('infinity' as double)
                end
            ) over larger
                / sum(classes.class_size) over larger as marketer_risk
        from held_classes_2 as classes
        window larger as (
            partition by classes.node
            order by classes.population_size desc, classes.node, classes.class_1
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes.node,
        larger_classes.class_1,
        larger_classes.marketer_risk,
        larger_classes.marketer_risk <= 0.1 + 0.000000001 as satisfied
    from larger_classes
),
judged_once as (
    select
        judged_parts_1.node,
        judged_parts_1.class_1,
        judged_parts_1.class_size,
        judged_parts_1.population_size,
        judged_parts_1.hopeless_rows,
        judged_parts_1.alone_rows,
        judged_parts_1.satisfied and coalesce(marketer_risk.satisfied, false) as satisfied
    from judged_parts_1
    left join marketer_risk
        on marketer_risk.node = judged_parts_1.node
        and marketer_risk.class_1 = judged_parts_1.class_1
),
left_classes as (
    -- the classes that all models of the whole table leave; a later model may have broken an
    -- earlier one
    select node, class_1, class_size, population_size
    from judged_once
    where satisfied
),
left_average_risk as (
    -- average_risk: the chance to identify the person of a row is at most 0.1 on average
    -- source:  El Emam 2013, Guide to the de-identification of personal health data
    -- reads:   left_classes, one row per equivalence class
    -- returns: one row per equivalence class
    --   average_risk  classes / rows, for this class and the larger ones   [0 to 1]
    --   satisfied     average_risk <= 0.1, compared exactly; never null: if the risk
    --                 of the whole table is too high, the smallest classes fail; of classes
    --                 of equal size the last by key
    -- nulls:   a null quasi-identifier is a value of its own
    with larger_classes as (
        select
            classes.node,
            classes.class_1,
            count(*) over larger as class_count,
            cast(sum(classes.class_size) over larger as bigint) as row_count
        from left_classes as classes
        window larger as (
            partition by classes.node
            order by classes.class_size desc, classes.node, classes.class_1
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes.node,
        larger_classes.class_1,
        cast(larger_classes.class_count as double) / larger_classes.row_count as average_risk,
        larger_classes.class_count <= 0.1 * larger_classes.row_count as satisfied
    from larger_classes
),
left_marketer_risk as (
    -- marketer_risk: linking with the population is right for at most a share of 0.1 of
    --   rows
    -- source:  El Emam 2013, Guide to the de-identification of personal health data
    -- reads:   left_classes, one row per equivalence class, population_size included
    -- returns: one row per equivalence class
    --   marketer_risk  mean of 1 / population_size over the rows of this class and of classes
    --                  with larger populations   [0 to 1]
    --   satisfied      marketer_risk <= 0.1, within a tolerance of 1e-9; never null: if the
    --                  risk of the whole table is too high, the classes of the smallest
    --                  populations fail; of classes with equal populations the last by key
    -- nulls:   a null quasi-identifier is a value of its own
    with larger_classes as (
        select
            classes.node,
            classes.class_1,
            sum(
                case
                    when classes.population_size > 0
                        then cast(classes.class_size as double) / classes.population_size
                    else cast('infinity' as double)
                end
            ) over larger
                / sum(classes.class_size) over larger as marketer_risk
        from left_classes as classes
        window larger as (
            partition by classes.node
            order by classes.population_size desc, classes.node, classes.class_1
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes.node,
        larger_classes.class_1,
        larger_classes.marketer_risk,
        larger_classes.marketer_risk <= 0.1 + 0.000000001 as satisfied
    from larger_classes
),
broken_nodes as (
    select node from left_average_risk where not satisfied
    union select node from left_marketer_risk where not satisfied
),
judged_classes as (
    -- in that case the node publishes nothing
    select
        judged_once.node,
        judged_once.class_1,
        judged_once.class_size,
        judged_once.population_size,
        judged_once.hopeless_rows,
        judged_once.alone_rows,
        judged_once.satisfied and broken_nodes.node is null as satisfied
    from judged_once
    left join broken_nodes on broken_nodes.node = judged_once.node
),
decided_classes as (
    -- all rows of failing classes are suppressed
    select
        node,
        class_1,
        class_size,
        population_size,
        satisfied,
        hopeless_rows,
        alone_rows,
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
        greatest(sum(hopeless_rows), sum(alone_rows)) as bigint
    ) as hopeless_rows,
    cast(sum(population_size) as bigint) as covered_population
from decided_classes
group by decided_classes.node
order by decided_classes.node
