-- release: what plan publishes of it's.csv, in the order of the published values
--   ward               '*' in every row
--   case_number        a keyed hash
--   the "age"          intervals of width 5, such as [1, 6)
--   born               by quarter, such as 1984-Q2
--   zip                2 characters masked from the left, such as **1
--   select             ranges cut at 5, such as - and +
--   longitude          rounded to -1 decimal places, such as 2134567890
--   tôwn               level 1 of it's a hierarchy.csv, such as Italy and Norway
--   work               one value for all
--   sex                one value for all
--   diagnosis, class_1 as in the source
--   not published      patient (an identifier); rows without a value of the "age" or born or zip or
--                      select or longitude or tôwn or work or sex or diagnosis
--   masked             rows of classes that break a promise: '*' in every quasi-identifier
--   decides            which rows are kept: the "age", born, zip, select, longitude, tôwn, work,
--                      sex, diagnosis
--   promise            every published row shares its quasi-identifiers with at least 4 others (k =
--                      5)
with source as not materialized (
    select
        '*' as ward,
        -- keyed hash (HMAC construction); the key is a session variable and is stored in no file
        sha256(getvariable('sqlanon_pseudonym_key') || sha256(
            getvariable('sqlanon_pseudonym_key') || cast(case_number as varchar)
        )) as case_number,
        "the ""age""",
        born,
        zip,
        "select",
        longitude,
        "tôwn",
        work,
        sex,
        diagnosis,
        class_1
    from read_csv('it''s.csv', hive_partitioning = false, header = true, quote = '"',
        escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ';', auto_type_candidates = ['varchar'],
        types = {'the "age"': 'INTEGER'})
    where "the ""age""" is not null
        and born is not null
        and zip is not null
        and "select" is not null
        and longitude is not null
        and "tôwn" is not null
        and work is not null
        and sex is not null
        and diagnosis is not null
),
"hierarchy_of_tôwn" as (
    select level_0 as value, level_1 as label
    from read_csv('it''s a hierarchy.csv', auto_detect = false, hive_partitioning = false,
        delim = ';', header = false,
        columns = {'level_0': 'varchar', 'level_1': 'varchar', 'level_2': 'varchar'})
),
hierarchy_of_work as (
    -- from a query: the first column is the value, each further column a coarser level
    select cast(level_0 as varchar) as value, cast(level_1 as varchar) as label
    from (
select * from (values ('a', '*')) as labels
    ) as hierarchy_query (level_0, level_1)
),
generalized as not materialized (
    select
        source.ward, source.case_number,
        case
            when source."the ""age""_as_number" < 0 then '< 0'
            when source."the ""age""_as_number" >= 90 then '>= 90'
            when source."the ""age""_as_number" is not null then '['
                || greatest(
                    cast(
                        source."the ""age""_as_number" - (
                            (source."the ""age""_as_number" - 1.0) % 5 + 5
                        ) % 5 as decimal(38, 1)
                    ),
                    0
                ) || ', '
                || least(
                    cast(
                        source."the ""age""_as_number" - (
                            (source."the ""age""_as_number" - 1.0) % 5 + 5
                        ) % 5 + 5 as decimal(38, 1)
                    ),
                    90
                ) || ')'
        end as "the ""age""",
        strftime(source.born_as_time, '%Y')
            || '-Q' || cast(quarter(source.born_as_time) as varchar) as born,
        cast(year(source.born_as_time) // 10 * 10 as varchar) || 's' as born_level_3,
        repeat('*', least(2, length(source.zip))) || substring(source.zip, 3) as zip,
        case
            when source.select_as_number < 5 then '-'
            when source.select_as_number is not null then '+'
        end as column_6,
        cast(
            cast(
                round(round(cast(source.longitude as decimal(37, 18)), 1), -1) as decimal(38, 0)
            ) as varchar
        ) as longitude,
        "hierarchy_of_tôwn".label as "tôwn",
        coalesce((select min(label) from hierarchy_of_work), '*') as work,
        '*' as sex,
        source.diagnosis,
        source.class_1 as column_12
    from (
        select
            source.*, cast("the ""age""" as decimal(37, 18)) as "the ""age""_as_number",
            cast(born as timestamp) as born_as_time,
            cast("select" as decimal(37, 18)) as select_as_number
        from source
    ) as source
    left join "hierarchy_of_tôwn" on "hierarchy_of_tôwn".value = source."tôwn"
),
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select
        "the ""age""", born, zip, column_6, longitude, "tôwn", born_level_3, count(*) as row_count
    from generalized
    group by "the ""age""", born, zip, column_6, longitude, "tôwn", born_level_3
),
classes as (
    select
        -- numbered in the order in which the search tries them
        0 as node,
        row_number() over (
            order by
                counted_classes."tôwn", counted_classes.longitude, counted_classes.column_6,
                counted_classes.zip, counted_classes.born_level_3, counted_classes.born,
                counted_classes."the ""age"""
        ) as class_number,
        counted_classes."the ""age""", counted_classes.born, counted_classes.zip,
        counted_classes.column_6, counted_classes.longitude, counted_classes."tôwn",
        counted_classes.class_size
    from (
        select
            "the ""age""", born, zip, column_6, longitude, "tôwn",
            min(born_level_3) as born_level_3, cast(sum(row_count) as bigint) as class_size
        from combinations
        group by "the ""age""", born, zip, column_6, longitude, "tôwn"
    ) as counted_classes
),
k_anonymity as (
    select node, class_number, class_size, class_size >= 5 as satisfied
    from classes
),
judged_classes as (
    -- satisfied:     every privacy model holds for the class
    select
        classes.node,
        classes.class_number,
        classes.class_size,
        k_anonymity.satisfied as satisfied
    from classes
    inner join k_anonymity
        on k_anonymity.node = classes.node
        and k_anonymity.class_number = classes.class_number
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
star_k_anonymity as (
    select node, added_classes, class_size, class_size >= 5 as satisfied
    from star_classes as classes
),
star_choices as (
    select
        star_k_anonymity.node,
        min(star_k_anonymity.added_classes) as added_classes
    from star_k_anonymity
    where star_k_anonymity.satisfied
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
        classes."the ""age""", classes.born, classes.zip, classes.column_6, classes.longitude,
        classes."tôwn",
        decided_classes.published,
        case when decided_classes.published then row_number() over (
            order by
                decided_classes.published desc, classes."the ""age""", classes.born, classes.zip,
                classes.column_6, classes.longitude, classes."tôwn"
        ) else 0 end as place
    from classes
    inner join decided_classes on decided_classes.class_number = classes.class_number
)
select
    generalized.ward,
    generalized.case_number,
    case when published_classes.published then generalized."the ""age""" else '*' end
        as "the ""age""",
    case when published_classes.published then generalized.born else '*' end
        as born,
    case when published_classes.published then generalized.zip else '*' end
        as zip,
    case when published_classes.published then generalized.column_6 else '*' end
        as "select",
    case when published_classes.published then generalized.longitude else '*' end
        as longitude,
    case when published_classes.published then generalized."tôwn" else '*' end
        as "tôwn",
    case when published_classes.published then generalized.work else '*' end
        as work,
    case when published_classes.published then generalized.sex else '*' end
        as sex,
    generalized.diagnosis,
    generalized.column_12 as class_1
from generalized
inner join published_classes
    on published_classes."the ""age""" is not distinct from generalized."the ""age"""
    and published_classes.born is not distinct from generalized.born
    and published_classes.zip is not distinct from generalized.zip
    and published_classes.column_6 is not distinct from generalized.column_6
    and published_classes.longitude is not distinct from generalized.longitude
    and published_classes."tôwn" is not distinct from generalized."tôwn"
order by
    published_classes.place, generalized.ward, generalized.case_number, generalized.diagnosis,
    generalized.column_12
