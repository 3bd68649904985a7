-- release: what population.yml publishes of patients.csv, in the order of the published values
--   age           level 1 of age.csv, such as 2x and 3x
--   zip, disease  as in the source
--   not published rows of classes that break a promise
--   population    everybody.csv, with the same labels
--   decides       which rows are kept: age, zip
--   promise       every person of the population is in the table with a chance from 0 to 0.9
with source as not materialized (
    select age, zip, disease
    from read_csv('patients.csv', hive_partitioning = false, header = true, all_varchar = true,
        quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ',')
),
population as not materialized (
    select age, zip
    from read_csv('everybody.csv', hive_partitioning = false, header = true, all_varchar = true,
        quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ',')
),
hierarchy_of_age as (
    select level_0 as value, level_1 as label
    from read_csv('age.csv', auto_detect = false, hive_partitioning = false, delim = ',',
        header = false,
        columns = {'level_0': 'varchar', 'level_1': 'varchar', 'level_2': 'varchar'})
),
generalized as not materialized (
    select
        hierarchy_of_age.label as age,
        source.zip, source.disease
    from source
    left join hierarchy_of_age on hierarchy_of_age.value = source.age
),
generalized_population as (
    select
        hierarchy_of_age.label as age,
        population.zip
    from population
    left join hierarchy_of_age on hierarchy_of_age.value = population.age
),
population_classes as (
    select age, zip, count(*) as population_size
    from generalized_population
    group by age, zip
),
classes as (
    select
        counted_classes.age, counted_classes.zip,
        counted_classes.class_size,
        coalesce(population_classes.population_size, 0) as population_size
    from (
        select age, zip, count(*) as class_size
        from generalized
        group by age, zip
    ) as counted_classes
    left join population_classes
    on population_classes.age is not distinct from counted_classes.age
    and population_classes.zip is not distinct from counted_classes.zip
),
delta_presence as (
    select
        classes.age, classes.zip,
        case
            when classes.population_size > 0
                then cast(classes.class_size as double) / classes.population_size
            else cast('infinity' as double)
        end as presence,
        classes.class_size >= 0 * classes.population_size
            and classes.class_size <= 0.9 * classes.population_size as satisfied
    from classes
),
published_classes as (
    select age, zip, row_number() over (order by age, zip) as place
    from delta_presence
    where satisfied
)
select generalized.*
from generalized
inner join published_classes
    on published_classes.age is not distinct from generalized.age
    and published_classes.zip is not distinct from generalized.zip
order by published_classes.place, generalized.disease;
