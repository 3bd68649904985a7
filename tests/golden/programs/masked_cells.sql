-- release: what masked_cells.yml publishes of patients.csv, in the order of the published values
--   age     as in the source
--   zip     level 1 of zip.csv, such as 478* and 479*
--   disease as in the source
--   masked  rows of classes that break a promise: '*' in every quasi-identifier
--   decides which rows are kept: age, zip
--   promise every published row shares its quasi-identifiers with at least 1 other (k = 2)
with source as not materialized (
    select age, zip, disease
    from read_csv('patients.csv', hive_partitioning = false, header = true, all_varchar = true,
        quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ',')
),
hierarchy_of_age as (
    -- from a file: one row per value, one column per level
    select level_0 as value, level_0 as label, level_1 as label_1
    from read_csv('age.csv', auto_detect = false, hive_partitioning = false, delim = ',',
        header = false,
        columns = {'level_0': 'varchar', 'level_1': 'varchar', 'level_2': 'varchar'})
),
hierarchy_of_zip as (
    select level_0 as value, level_1 as label
    from read_csv('zip.csv', auto_detect = false, hive_partitioning = false, delim = ',',
        header = false,
        columns = {'level_0': 'varchar', 'level_1': 'varchar', 'level_2': 'varchar'})
),
generalized as not materialized (
    select
        source.age,
        hierarchy_of_age.label_1 as age_level_1,
        hierarchy_of_zip.label as zip,
        source.disease
    from source
    left join hierarchy_of_age on hierarchy_of_age.value = source.age
    left join hierarchy_of_zip on hierarchy_of_zip.value = source.zip
),
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select age, zip, age_level_1, count(*) as row_count
    from generalized
    group by age, zip, age_level_1
),
classes as (
    select
        -- numbered in the order in which the search tries them
        0 as node,
        row_number() over (
            order by counted_classes.zip, counted_classes.age_level_1, counted_classes.age
        ) as class_number,
        counted_classes.age, counted_classes.zip,
        counted_classes.class_size
    from (
        select
            age, zip, min(age_level_1) as age_level_1, cast(sum(row_count) as bigint) as class_size
        from combinations
        group by age, zip
    ) as counted_classes
),
k_anonymity as (
    select node, class_number, class_size, class_size >= 2 as satisfied
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
    select node, added_classes, class_size, class_size >= 2 as satisfied
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
        classes.age, classes.zip,
        decided_classes.published,
        case when decided_classes.published then row_number() over (
            order by decided_classes.published desc, classes.age, classes.zip
        ) else 0 end as place
    from classes
    inner join decided_classes on decided_classes.class_number = classes.class_number
)
select
    case when published_classes.published then generalized.age else '*' end
        as age,
    case when published_classes.published then generalized.zip else '*' end
        as zip,
    generalized.disease
from generalized
inner join published_classes
    on published_classes.age is not distinct from generalized.age
    and published_classes.zip is not distinct from generalized.zip
order by published_classes.place, generalized.disease;
