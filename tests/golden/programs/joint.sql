-- release: what joint.yml publishes of patients.csv, in the order of the published values
--   age           as in the source
--   zip           level 1 of zip.csv, such as 478* and 479*
--   disease       as in the source
--   not published rows of classes that break a promise
--   decides       which rows are kept: age, zip, disease
--   promise       every published row shares its quasi-identifiers with at least 1 other (k = 2)
--   promise       every class holds at least 2 different values of disease
with source as not materialized (
    select age, zip, disease
    from read_csv('patients.csv', hive_partitioning = false, header = true, all_varchar = true,
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
        source.disease
    from source
    left join hierarchy_of_zip on hierarchy_of_zip.value = source.zip
),
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select age, zip, disease, count(*) as row_count
    from generalized
    group by age, zip, disease
),
classes as (
    select age, zip, cast(sum(row_count) as bigint) as class_size
    from combinations
    group by age, zip
),
joint_values_of_disease as (
    select age, zip, disease as value, cast(sum(row_count) as bigint) as value_count
    from combinations
    group by age, zip, disease
),
joint_classes_of_disease as (
    select age, zip, cast(sum(row_count) as bigint) as class_size
    from combinations
    group by age, zip
),
k_anonymity as (
    select age, zip, class_size, class_size >= 2 as satisfied
    from classes
),
l_diversity as (
    select
        parts.age, parts.zip,
        min(parts.diversity) as diversity,
        bool_and(parts.satisfied) as satisfied
    from (
        select age, zip, count(*) as diversity, count(*) >= 2 as satisfied
        from joint_values_of_disease as class_values
        group by age, zip
    ) as parts
    group by parts.age, parts.zip
),
published_classes as (
    select age, zip, row_number() over (order by age, zip) as place
    from (
        select age, zip from k_anonymity where satisfied
        intersect
        select age, zip from l_diversity where satisfied
    ) as satisfied_classes
)
select generalized.*
from generalized
inner join published_classes
    on published_classes.age is not distinct from generalized.age
    and published_classes.zip is not distinct from generalized.zip
order by published_classes.place, generalized.disease;
