-- release: what plan.yml publishes of patients.csv, in the order of the published values
--   sex             as in the source
--   born            by decade, such as 1980s
--   zip             2 characters masked from the right, such as 123**
--   marital_status  one value for all
--   diagnosis, cost as in the source
--   not published   patient_id, name (identifiers); rows of classes that break a promise
--   decides         which rows are kept: sex, born, zip, marital_status, diagnosis
--   promise         every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise         every class holds at least 2 different values of diagnosis
with source as not materialized (
    select sex, born, zip, marital_status, diagnosis, cost
    from read_csv('patients.csv', hive_partitioning = false, header = true, all_varchar = true,
        quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ',')
),
generalized as not materialized (
    select
        sex,
        cast(year(cast(born as timestamp)) // 10 * 10 as varchar) || 's' as born,
        substring(zip, 1, greatest(length(zip) - 2, 0))
            || repeat('*', least(2, length(zip))) as zip,
        '*' as marital_status,
        diagnosis, cost
    from source
),
class_values_of_diagnosis as (
    select sex, born, zip, diagnosis as value, count(*) as value_count
    from generalized
    group by sex, born, zip, diagnosis
),
classes as (
    select sex, born, zip, cast(sum(value_count) as bigint) as class_size
    from class_values_of_diagnosis
    group by sex, born, zip
),
k_anonymity as (
    select sex, born, zip, class_size, class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    select sex, born, zip, count(*) as diversity, count(*) >= 2 as satisfied
    from class_values_of_diagnosis as class_values
    group by sex, born, zip
),
published_classes as (
    select sex, born, zip, row_number() over (order by sex, born, zip) as place
    from (
        select sex, born, zip from k_anonymity where satisfied
        intersect
        select sex, born, zip from l_diversity where satisfied
    ) as satisfied_classes
)
select generalized.*
from generalized
inner join published_classes
    on published_classes.sex is not distinct from generalized.sex
    and published_classes.born is not distinct from generalized.born
    and published_classes.zip is not distinct from generalized.zip
order by published_classes.place, generalized.diagnosis, generalized.cost;
