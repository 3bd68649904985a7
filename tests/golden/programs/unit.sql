-- release: what unit.yml publishes of visits.csv, in the order of the published values
--   age           as in the source
--   zip           level 1 of zip.csv, such as 478* and 479*
--   disease       as in the source
--   persons       the number of persons of the class
--   not published person (an identifier); rows of classes that break a promise
--   counted       persons, by person, and not rows
--   decides       which rows are kept: age, zip, person
--   promise       every published row shares its quasi-identifiers with at least 1 other person (k
--                 = 2)
with person_rows as (
    -- person_rows: the rows that are published, each with its person; not itself published
    with source as not materialized (
        select age, zip, disease, person
        from read_csv('visits.csv', hive_partitioning = false, header = true, all_varchar = true,
            quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
            ignore_errors = false, delim = ',')
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
            hierarchy_of_zip.label as zip,
            source.disease,
            source.person as column_4
        from source
        left join hierarchy_of_zip on hierarchy_of_zip.value = source.zip
    ),
    combinations as (
        -- the rows, counted by what is published of them and what promises count
        select age, zip, column_4, count(*) as row_count
        from generalized
        group by age, zip, column_4
    ),
    classes as (
        select age, zip, count(distinct column_4) as class_size
        from combinations
        group by age, zip
    ),
    k_anonymity as (
        select age, zip, class_size, class_size >= 2 as satisfied
        from classes
    ),
    published_classes as (
        select age, zip, row_number() over (order by age, zip) as place
        from k_anonymity
        where satisfied
    )
    select
        published_classes.place, generalized.age, generalized.zip, generalized.disease,
        generalized.column_4 as person
    from generalized
    inner join published_classes
        on published_classes.age is not distinct from generalized.age
        and published_classes.zip is not distinct from generalized.zip
),
class_persons as (
    -- the persons of each class, whose keys are not published
    select place, count(distinct person) as persons
    from person_rows
    group by place
)
select person_rows.age, person_rows.zip, person_rows.disease, class_persons.persons
from person_rows
inner join class_persons
    on class_persons.place is not distinct from person_rows.place
order by person_rows.place, person_rows.disease;
