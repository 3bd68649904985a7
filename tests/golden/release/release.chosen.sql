-- release: what plan publishes of it's.csv, in the order of the published values
--   ward               '*' in every row
--   case_number        a keyed hash
--   the "age"          its label at the level that was found (chosen_node)
--   born               its label at the level that was found (chosen_node)
--   zip                its label at the level that was found (chosen_node)
--   select             its label at the level that was found (chosen_node)
--   longitude          its label at the level that was found (chosen_node)
--   tôwn               its label at the level that was found (chosen_node)
--   work               its label at the level that was found (chosen_node)
--   sex                its label at the level that was found (chosen_node)
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
"hierarchy_of_the ""age""" as (
-- the labels of the "age" at the level that was found
    select
        hierarchy_levels.value, hierarchy_levels.label, value_codes.key_1 & chosen_node.mask as code
    from sqlanon.hierarchy_levels
    inner join sqlanon.chosen_node
        on chosen_node.attribute = hierarchy_levels.attribute
        and chosen_node.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.attribute = 'the "age"'
),
hierarchy_of_born as (
-- the labels of born at the level that was found
    select
        hierarchy_levels.value, hierarchy_levels.label, value_codes.key_1 & chosen_node.mask as code
    from sqlanon.hierarchy_levels
    inner join sqlanon.chosen_node
        on chosen_node.attribute = hierarchy_levels.attribute
        and chosen_node.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.attribute = 'born'
),
hierarchy_of_zip as (
-- the labels of zip at the level that was found
    select
        hierarchy_levels.value, hierarchy_levels.label, value_codes.key_1 & chosen_node.mask as code
    from sqlanon.hierarchy_levels
    inner join sqlanon.chosen_node
        on chosen_node.attribute = hierarchy_levels.attribute
        and chosen_node.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.attribute = 'zip'
),
hierarchy_of_select as (
-- the labels of select at the level that was found
    select
        hierarchy_levels.value, hierarchy_levels.label, value_codes.key_1 & chosen_node.mask as code
    from sqlanon.hierarchy_levels
    inner join sqlanon.chosen_node
        on chosen_node.attribute = hierarchy_levels.attribute
        and chosen_node.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.attribute = 'select'
),
hierarchy_of_longitude as (
-- the labels of longitude at the level that was found
    select
        hierarchy_levels.value, hierarchy_levels.label, value_codes.key_1 & chosen_node.mask as code
    from sqlanon.hierarchy_levels
    inner join sqlanon.chosen_node
        on chosen_node.attribute = hierarchy_levels.attribute
        and chosen_node.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.attribute = 'longitude'
),
"hierarchy_of_tôwn" as (
-- the labels of tôwn at the level that was found
    select
        hierarchy_levels.value, hierarchy_levels.label, value_codes.key_1 & chosen_node.mask as code
    from sqlanon.hierarchy_levels
    inner join sqlanon.chosen_node
        on chosen_node.attribute = hierarchy_levels.attribute
        and chosen_node.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.attribute = 'tôwn'
),
hierarchy_of_work as (
-- the labels of work at the level that was found
    select
        hierarchy_levels.value, hierarchy_levels.label, value_codes.key_1 & chosen_node.mask as code
    from sqlanon.hierarchy_levels
    inner join sqlanon.chosen_node
        on chosen_node.attribute = hierarchy_levels.attribute
        and chosen_node.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.attribute = 'work'
),
hierarchy_of_sex as (
-- the labels of sex at the level that was found
    select
        hierarchy_levels.value, hierarchy_levels.label, value_codes.key_2 & chosen_node.mask as code
    from sqlanon.hierarchy_levels
    inner join sqlanon.chosen_node
        on chosen_node.attribute = hierarchy_levels.attribute
        and chosen_node.level = hierarchy_levels.level
    inner join sqlanon.value_codes
        on value_codes.attribute = hierarchy_levels.attribute
        and value_codes.value is not distinct from hierarchy_levels.value
    where hierarchy_levels.attribute = 'sex'
),
generalized as not materialized (
    select
        source.ward, source.case_number,
        "hierarchy_of_the ""age""".label as "the ""age""",
        "hierarchy_of_the ""age""".code as "code_of_the ""age""",
        hierarchy_of_born.label as born,
        hierarchy_of_born.code as code_of_born,
        hierarchy_of_zip.label as zip,
        hierarchy_of_zip.code as code_of_zip,
        hierarchy_of_select.label as column_6,
        hierarchy_of_select.code as code_of_column_6,
        hierarchy_of_longitude.label as longitude,
        hierarchy_of_longitude.code as code_of_longitude,
        "hierarchy_of_tôwn".label as "tôwn",
        "hierarchy_of_tôwn".code as "code_of_tôwn",
        hierarchy_of_work.label as work,
        hierarchy_of_work.code as code_of_work,
        hierarchy_of_sex.label as sex,
        hierarchy_of_sex.code as code_of_sex,
        source.diagnosis,
        source.class_1 as column_12
    from source
    left join "hierarchy_of_the ""age"""
        on "hierarchy_of_the ""age""".value is not distinct from source."the ""age"""
    left join hierarchy_of_born on hierarchy_of_born.value is not distinct from source.born
    left join hierarchy_of_zip on hierarchy_of_zip.value is not distinct from source.zip
    left join hierarchy_of_select on hierarchy_of_select.value is not distinct from source."select"
    left join hierarchy_of_longitude
        on hierarchy_of_longitude.value is not distinct from source.longitude
    left join "hierarchy_of_tôwn" on "hierarchy_of_tôwn".value is not distinct from source."tôwn"
    left join hierarchy_of_work on hierarchy_of_work.value is not distinct from source.work
    left join hierarchy_of_sex on hierarchy_of_sex.value is not distinct from source.sex
),
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select
        "the ""age""", born, zip, column_6, longitude, "tôwn", work, sex, "code_of_the ""age""",
        code_of_born, code_of_zip, code_of_column_6, code_of_longitude, "code_of_tôwn",
        code_of_work, code_of_sex, count(*) as row_count
    from generalized
    group by
        "the ""age""", born, zip, column_6, longitude, "tôwn", work, sex, "code_of_the ""age""",
        code_of_born, code_of_zip, code_of_column_6, code_of_longitude, "code_of_tôwn",
        code_of_work, code_of_sex
),
classes as (
    select
        -- numbered in the order in which the search tries them
        0 as node,
        row_number() over (
            order by
                counted_classes.code_of_work, counted_classes."code_of_tôwn",
                counted_classes.code_of_longitude, counted_classes.code_of_column_6,
                counted_classes.code_of_zip, counted_classes.code_of_born,
                counted_classes."code_of_the ""age""", counted_classes.code_of_sex
        ) as class_number,
        counted_classes."the ""age""", counted_classes.born, counted_classes.zip,
        counted_classes.column_6, counted_classes.longitude, counted_classes."tôwn",
        counted_classes.work, counted_classes.sex,
        counted_classes.class_size
    from (
        select
            "the ""age""", born, zip, column_6, longitude, "tôwn", work, sex,
            min(code_of_work) as code_of_work, min("code_of_tôwn") as "code_of_tôwn",
            min(code_of_longitude) as code_of_longitude, min(code_of_column_6) as code_of_column_6,
            min(code_of_zip) as code_of_zip, min(code_of_born) as code_of_born,
            min("code_of_the ""age""") as "code_of_the ""age""", min(code_of_sex) as code_of_sex,
            cast(sum(row_count) as bigint) as class_size
        from combinations
        group by "the ""age""", born, zip, column_6, longitude, "tôwn", work, sex
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
        classes."tôwn", classes.work, classes.sex,
        decided_classes.published,
        case when decided_classes.published then row_number() over (
            order by
                decided_classes.published desc, classes."the ""age""", classes.born, classes.zip,
                classes.column_6, classes.longitude, classes."tôwn", classes.work, classes.sex
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
    and published_classes.work is not distinct from generalized.work
    and published_classes.sex is not distinct from generalized.sex
order by
    published_classes.place, generalized.ward, generalized.case_number, generalized.diagnosis,
    generalized.column_12
