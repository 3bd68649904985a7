-- release: what plan publishes of it's.csv, in the order of the published values
--   the "age"              intervals of width 2.5, such as [1.0, 3.5)
--   sex, diagnosis, salary as in the source
--   not published          rows of classes that break a promise
--   population             voters.parquet, with the same labels
--   decides                which rows are kept: the "age", sex
--   promise                every published row shares its quasi-identifiers with at least 4 others
--                          (k = 5)
--   promise                the chance to identify the person of a row is at most 0.1 on average
--   promise                linking with the population is right for at most a share of 0.1 of rows
with source as not materialized (
    select "the ""age""", sex, diagnosis, salary
    from read_csv('it''s.csv', hive_partitioning = false, header = true, quote = '"',
        escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ';', auto_type_candidates = ['varchar'],
        types = {'the "age"': 'INTEGER'})
),
population as not materialized (
    select "the ""age""", sex
    from read_parquet('voters.parquet', hive_partitioning = false)
),
generalized as not materialized (
    select
        case
            when "the ""age""_as_number" < 0 then '< 0'
            when "the ""age""_as_number" >= 90 then '>= 90'
            when "the ""age""_as_number" is not null then '['
                || greatest(
                    cast(
                        "the ""age""_as_number" - (
                            ("the ""age""_as_number" - 1.0) % 2.5 + 2.5
                        ) % 2.5 as decimal(38, 1)
                    ),
                    0
                ) || ', '
                || least(
                    cast(
                        "the ""age""_as_number" - (
                            ("the ""age""_as_number" - 1.0) % 2.5 + 2.5
                        ) % 2.5 + 2.5 as decimal(38, 1)
                    ),
                    90
                ) || ')'
        end as "the ""age""",
        case
            when "the ""age""_as_number" < 0 then '< 0'
            when "the ""age""_as_number" >= 90 then '>= 90'
            when "the ""age""_as_number" is not null then '['
                || greatest(
                    cast(
                        "the ""age""_as_number" - (
                            ("the ""age""_as_number" - 1.0) % 5 + 5
                        ) % 5 as decimal(38, 1)
                    ),
                    0
                ) || ', '
                || least(
                    cast(
                        "the ""age""_as_number" - (
                            ("the ""age""_as_number" - 1.0) % 5 + 5
                        ) % 5 + 5 as decimal(38, 1)
                    ),
                    90
                ) || ')'
        end as "the ""age""_level_2",
        sex, diagnosis, salary
    from (
        select source.*, cast("the ""age""" as decimal(37, 18)) as "the ""age""_as_number"
        from source
    ) as source
),
generalized_population as (
    select
        case
            when "the ""age""_as_number" < 0 then '< 0'
            when "the ""age""_as_number" >= 90 then '>= 90'
            when "the ""age""_as_number" is not null then '['
                || greatest(
                    cast(
                        "the ""age""_as_number" - (
                            ("the ""age""_as_number" - 1.0) % 2.5 + 2.5
                        ) % 2.5 as decimal(38, 1)
                    ),
                    0
                ) || ', '
                || least(
                    cast(
                        "the ""age""_as_number" - (
                            ("the ""age""_as_number" - 1.0) % 2.5 + 2.5
                        ) % 2.5 + 2.5 as decimal(38, 1)
                    ),
                    90
                ) || ')'
        end as "the ""age""",
        case
            when "the ""age""_as_number" < 0 then '< 0'
            when "the ""age""_as_number" >= 90 then '>= 90'
            when "the ""age""_as_number" is not null then '['
                || greatest(
                    cast(
                        "the ""age""_as_number" - (
                            ("the ""age""_as_number" - 1.0) % 5 + 5
                        ) % 5 as decimal(38, 1)
                    ),
                    0
                ) || ', '
                || least(
                    cast(
                        "the ""age""_as_number" - (
                            ("the ""age""_as_number" - 1.0) % 5 + 5
                        ) % 5 + 5 as decimal(38, 1)
                    ),
                    90
                ) || ')'
        end as "the ""age""_level_2",
        sex
    from (
        select population.*, cast("the ""age""" as decimal(37, 18)) as "the ""age""_as_number"
        from population
    ) as population
),
population_classes as (
    select "the ""age""", sex, count(*) as population_size
    from generalized_population
    group by "the ""age""", sex
),
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select "the ""age""", sex, "the ""age""_level_2", count(*) as row_count
    from generalized
    group by "the ""age""", sex, "the ""age""_level_2"
),
classes as (
    select
        -- numbered in the order in which the search tries them
        0 as node,
        row_number() over (
            order by
                counted_classes.sex, counted_classes."the ""age""_level_2",
                counted_classes."the ""age"""
        ) as class_number,
        counted_classes."the ""age""", counted_classes.sex,
        counted_classes.class_size,
        coalesce(population_classes.population_size, 0) as population_size
    from (
        select
            "the ""age""", sex, min("the ""age""_level_2") as "the ""age""_level_2",
            cast(sum(row_count) as bigint) as class_size
        from combinations
        group by "the ""age""", sex
    ) as counted_classes
    left join population_classes
    on population_classes."the ""age""" is not distinct from counted_classes."the ""age"""
    and population_classes.sex is not distinct from counted_classes.sex
),
k_anonymity as (
    select node, class_number, class_size, class_size >= 5 as satisfied
    from classes
),
judged_parts as (
    -- satisfied:     every privacy model of single classes holds for the class
    select
        classes.node,
        classes.class_number,
        classes.class_size,
        classes.population_size,
        k_anonymity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_number = classes.class_number
),
satisfied_classes_1 as (
    -- the classes for which all earlier models hold
    select node, class_number, class_size, population_size
    from judged_parts
    where satisfied
),
average_risk as (
    with larger_classes as (
        select
            classes.node, classes.class_number,
            count(*) over larger as class_count,
            cast(sum(classes.class_size) over larger as bigint) as row_count
        from satisfied_classes_1 as classes
        window larger as (
            partition by classes.node
            order by classes.class_size desc, classes.node, classes.class_number
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes.node, larger_classes.class_number,
        cast(larger_classes.class_count as double) / larger_classes.row_count as average_risk,
        larger_classes.class_count <= 0.1 * larger_classes.row_count as satisfied
    from larger_classes
),
judged_parts_1 as (
    select
        judged_parts.node,
        judged_parts.class_number,
        judged_parts.class_size,
        judged_parts.population_size,
        judged_parts.satisfied and coalesce(average_risk.satisfied, false) as satisfied
    from judged_parts
    left join average_risk
        on average_risk.node = judged_parts.node
        and average_risk.class_number = judged_parts.class_number
),
satisfied_classes_2 as (
    -- the classes for which all earlier models hold
    select node, class_number, class_size, population_size
    from judged_parts_1
    where satisfied
),
marketer_risk as (
    with larger_classes as (
        select
            classes.node, classes.class_number,
            sum(
                case
                    when classes.population_size > 0
                        then cast(classes.class_size as double) / classes.population_size
                    else cast('infinity' as double)
                end
            ) over larger
                / sum(classes.class_size) over larger as marketer_risk
        from satisfied_classes_2 as classes
        window larger as (
            partition by classes.node
            order by classes.population_size desc, classes.node, classes.class_number
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes.node, larger_classes.class_number,
        larger_classes.marketer_risk,
        larger_classes.marketer_risk <= 0.1 + 0.000000001 as satisfied
    from larger_classes
),
judged_once as (
    select
        judged_parts_1.node,
        judged_parts_1.class_number,
        judged_parts_1.class_size,
        judged_parts_1.population_size,
        judged_parts_1.satisfied and coalesce(marketer_risk.satisfied, false) as satisfied
    from judged_parts_1
    left join marketer_risk
        on marketer_risk.node = judged_parts_1.node
        and marketer_risk.class_number = judged_parts_1.class_number
),
left_classes as (
    -- the classes that all models of the whole table leave; a later model may have broken an
    -- earlier one
    select node, class_number, class_size, population_size
    from judged_once
    where satisfied
),
left_average_risk as (
    with larger_classes as (
        select
            classes.node, classes.class_number,
            count(*) over larger as class_count,
            cast(sum(classes.class_size) over larger as bigint) as row_count
        from left_classes as classes
        window larger as (
            partition by classes.node
            order by classes.class_size desc, classes.node, classes.class_number
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes.node, larger_classes.class_number,
        cast(larger_classes.class_count as double) / larger_classes.row_count as average_risk,
        larger_classes.class_count <= 0.1 * larger_classes.row_count as satisfied
    from larger_classes
),
left_marketer_risk as (
    with larger_classes as (
        select
            classes.node, classes.class_number,
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
            order by classes.population_size desc, classes.node, classes.class_number
            rows between unbounded preceding and current row
        )
    )
    select
        larger_classes.node, larger_classes.class_number,
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
        judged_once.class_number,
        judged_once.class_size,
        judged_once.population_size,
        judged_once.satisfied and broken_nodes.node is null as satisfied
    from judged_once
    left join broken_nodes on broken_nodes.node = judged_once.node
),
decided_classes as (
    -- all rows of failing classes are suppressed
    select
        node,
        class_number,
        class_size,
        population_size,
        satisfied,
        satisfied as published
    from judged_classes
),
published_classes as (
    select
        classes."the ""age""", classes.sex,
        decided_classes.published,
        row_number() over (order by classes."the ""age""", classes.sex) as place
    from classes
    inner join decided_classes on decided_classes.class_number = classes.class_number
    where decided_classes.published
)
select generalized."the ""age""", generalized.sex, generalized.diagnosis, generalized.salary
from generalized
inner join published_classes
    on published_classes."the ""age""" is not distinct from generalized."the ""age"""
    and published_classes.sex is not distinct from generalized.sex
order by published_classes.place, generalized.diagnosis, generalized.salary
