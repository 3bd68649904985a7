-- release: what plan publishes of it's.csv, in the order of the published values
--   the "age"              intervals of width 2.5, such as [1.0, 3.5)
--   sex, diagnosis, salary as in the source
--   masked                 rows of classes that break a promise: '*' in every quasi-identifier
--   decides                which rows are kept: the "age", sex, diagnosis, salary
--   promise                every published row shares its quasi-identifiers with at least 4 others
--                          (k = 5)
--   promise                every class holds at least 2 different values of diagnosis
--   promise                every class holds at least 3 different values of diagnosis
with source as not materialized (
    select "the ""age""", sex, diagnosis, salary
    from read_csv('it''s.csv', hive_partitioning = false, header = true, quote = '"',
        escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ';', auto_type_candidates = ['varchar'],
        types = {'the "age"': 'INTEGER'})
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
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select "the ""age""", sex, "the ""age""_level_2", diagnosis, salary, count(*) as row_count
    from generalized
    group by "the ""age""", sex, "the ""age""_level_2", diagnosis, salary
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
        counted_classes.class_size
    from (
        select
            "the ""age""", sex, min("the ""age""_level_2") as "the ""age""_level_2",
            cast(sum(row_count) as bigint) as class_size
        from combinations
        group by "the ""age""", sex
    ) as counted_classes
),
numbered_combinations as (
    select classes.node, classes.class_number, combinations.*
    from combinations
    inner join classes
    on classes."the ""age""" is not distinct from combinations."the ""age"""
    and classes.sex is not distinct from combinations.sex
),
class_values_of_diagnosis as (
    select node, class_number, diagnosis as value, cast(sum(row_count) as bigint) as value_count
    from numbered_combinations
    group by node, class_number, diagnosis
),
joint_values_of_diagnosis as (
    select
        node, class_number, salary as value_of_salary, diagnosis as value,
        cast(sum(row_count) as bigint) as value_count
    from numbered_combinations
    group by node, class_number, salary, diagnosis
),
joint_classes_of_diagnosis as (
    select
        node, class_number, salary as value_of_salary, cast(sum(row_count) as bigint) as class_size
    from numbered_combinations
    group by node, class_number, salary
),
k_anonymity as (
    select node, class_number, class_size, class_size >= 5 as satisfied
    from classes
),
l_diversity_2 as (
    select
        parts.node, parts.class_number,
        min(parts.diversity) as diversity,
        bool_and(parts.satisfied) as satisfied
    from (
        select
            node, class_number, value_of_salary, count(*) as diversity, count(*) >= 2 as satisfied
        from joint_values_of_diagnosis as class_values
        group by node, class_number, value_of_salary
    ) as parts
    group by parts.node, parts.class_number
),
l_diversity_3 as (
    select node, class_number, count(*) as diversity, count(*) >= 3 as satisfied
    from class_values_of_diagnosis as class_values
    group by node, class_number
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    select
        classes.node,
        classes.class_number,
        classes.class_size,
        k_anonymity.satisfied
            and l_diversity_2.satisfied
            and l_diversity_3.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_number = classes.class_number
    inner join l_diversity_2
        on l_diversity_2.node = classes.node
        and l_diversity_2.class_number = classes.class_number
    inner join l_diversity_3
        on l_diversity_3.node = classes.node
        and l_diversity_3.class_number = classes.class_number
),
ranked_classes as (
    -- the smallest satisfied class of each node comes first
    select
        *,
        satisfied and row_number() over (
            partition by node
            order by satisfied desc, class_size, class_number
        ) = 1 as is_smallest
    from judged_classes
),
failing_nodes as (
    select node
    from ranked_classes
    where not satisfied
    group by node
),
star_classes as (
    -- masked rows form one class of '*': the failing classes alone, or, if that class would
    -- fail, the failing classes and the smallest satisfied one (Sweeney 2002, step 4)
    select node, 0 as added_classes, cast(sum(class_size) as bigint) as class_size
    from ranked_classes
    where not satisfied
    group by node
    union all
    select node, 1, cast(sum(class_size) as bigint)
    from ranked_classes
    where not satisfied or is_smallest
    group by node
    having count(*) filter (where not satisfied) > 0
        and count(*) filter (where is_smallest) > 0
),
star_class_values_of_diagnosis as (
    -- how often each value of diagnosis occurs in the class of '*'
    select
        ranked_classes.node,
        0 as added_classes,
        counted.value,
        cast(sum(counted.value_count) as bigint) as value_count
    from ranked_classes
    inner join class_values_of_diagnosis as counted
        on counted.node = ranked_classes.node
        and counted.class_number = ranked_classes.class_number
    where not ranked_classes.satisfied

    group by ranked_classes.node, counted.value
    union all
    select
        ranked_classes.node,
        1 as added_classes,
        counted.value,
        cast(sum(counted.value_count) as bigint) as value_count
    from ranked_classes
    inner join class_values_of_diagnosis as counted
        on counted.node = ranked_classes.node
        and counted.class_number = ranked_classes.class_number
    inner join failing_nodes on failing_nodes.node = ranked_classes.node
    where not ranked_classes.satisfied or ranked_classes.is_smallest

    group by ranked_classes.node, counted.value
),
star_joint_values_of_diagnosis as (
    -- how often each value of diagnosis occurs in the class of '*'
    select
        ranked_classes.node,
        0 as added_classes,
        counted.value_of_salary,
        counted.value,
        cast(sum(counted.value_count) as bigint) as value_count
    from ranked_classes
    inner join joint_values_of_diagnosis as counted
        on counted.node = ranked_classes.node
        and counted.class_number = ranked_classes.class_number
    where not ranked_classes.satisfied

    group by ranked_classes.node, counted.value_of_salary, counted.value
    union all
    select
        ranked_classes.node,
        1 as added_classes,
        counted.value_of_salary,
        counted.value,
        cast(sum(counted.value_count) as bigint) as value_count
    from ranked_classes
    inner join joint_values_of_diagnosis as counted
        on counted.node = ranked_classes.node
        and counted.class_number = ranked_classes.class_number
    inner join failing_nodes on failing_nodes.node = ranked_classes.node
    where not ranked_classes.satisfied or ranked_classes.is_smallest

    group by ranked_classes.node, counted.value_of_salary, counted.value
),
star_joint_classes_of_diagnosis as (
    select node, added_classes, value_of_salary, cast(sum(value_count) as bigint) as class_size
    from star_joint_values_of_diagnosis
    group by node, added_classes, value_of_salary
),
star_k_anonymity as (
    select node, added_classes, class_size, class_size >= 5 as satisfied
    from star_classes as classes
),
star_l_diversity_2 as (
    select
        parts.node, parts.added_classes,
        min(parts.diversity) as diversity,
        bool_and(parts.satisfied) as satisfied
    from (
        select
            node, added_classes, value_of_salary, count(*) as diversity, count(*) >= 2 as satisfied
        from star_joint_values_of_diagnosis as class_values
        group by node, added_classes, value_of_salary
    ) as parts
    group by parts.node, parts.added_classes
),
star_l_diversity_3 as (
    select node, added_classes, count(*) as diversity, count(*) >= 3 as satisfied
    from star_class_values_of_diagnosis as class_values
    group by node, added_classes
),
star_choices as (
    select
        star_k_anonymity.node,
        min(star_k_anonymity.added_classes) as added_classes
    from star_k_anonymity
    inner join star_l_diversity_2
        on star_l_diversity_2.node = star_k_anonymity.node
        and star_l_diversity_2.added_classes = star_k_anonymity.added_classes
    inner join star_l_diversity_3
        on star_l_diversity_3.node = star_k_anonymity.node
        and star_l_diversity_3.added_classes = star_k_anonymity.added_classes
    where star_k_anonymity.satisfied
        and star_l_diversity_2.satisfied
        and star_l_diversity_3.satisfied
    group by star_k_anonymity.node
),
decided_classes as (
    -- a node for whose '*' class the models do not hold publishes nothing
    select
        ranked_classes.node,
        ranked_classes.class_number,
        ranked_classes.class_size,
        ranked_classes.satisfied,
        ranked_classes.satisfied
        and (failing_nodes.node is null or star_choices.node is not null)
        and not (ranked_classes.is_smallest and coalesce(star_choices.added_classes, 0) = 1)
            as published
    from ranked_classes
    left join failing_nodes on failing_nodes.node = ranked_classes.node
    left join star_choices on star_choices.node = ranked_classes.node
),
published_classes as (
    select
        classes."the ""age""", classes.sex,
        decided_classes.published,
        case when decided_classes.published then row_number() over (
            order by decided_classes.published desc, classes."the ""age""", classes.sex
        ) else 0 end as place
    from classes
    inner join decided_classes on decided_classes.class_number = classes.class_number
)
select
    case when published_classes.published then generalized."the ""age""" else '*' end
        as "the ""age""",
    case when published_classes.published then generalized.sex else '*' end
        as sex,
    generalized.diagnosis,
    generalized.salary
from generalized
inner join published_classes
    on published_classes."the ""age""" is not distinct from generalized."the ""age"""
    and published_classes.sex is not distinct from generalized.sex
order by published_classes.place, generalized.diagnosis, generalized.salary
