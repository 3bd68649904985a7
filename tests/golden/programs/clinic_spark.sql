-- release: what spark.yml publishes of clinic.patients, in the order of the published values
--   sex             as in the source
--   born            by decade, such as 1980s
--   zip             2 characters masked from the right, such as 123**
--   marital_status  one value for all
--   diagnosis, cost as in the source
--   not published   patient_id, name (identifiers); rows of classes that break a promise
--   decides         which rows are kept: sex, born, zip, marital_status, diagnosis
--   promise         every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise         every class holds at least 2 different values of diagnosis
with source as (
    select
        sex as sex,
        born as born,
        zip as zip,
        marital_status as marital_status,
        diagnosis as diagnosis,
        cost as cost
    from clinic.patients
), generalized as (
    select
        sex,
        cast(year(cast(born as timestamp_ntz)) div 10 * 10 as string) || 's' as born,
        substring(zip, 1, greatest(length(zip) - 2, 0))
            || repeat('*', least(2, length(zip))) as zip,
        '*' as marital_status,
        diagnosis,
        cost
    from source
), class_values_of_diagnosis as (
    select
        sex,
        born,
        zip,
        diagnosis as value,
        count(*) as value_count
    from generalized
    group by sex, born, zip, diagnosis
), classes as (
    select
        sex,
        born,
        zip,
        cast(sum(value_count) as bigint) as class_size
    from class_values_of_diagnosis
    group by sex, born, zip
), k_anonymity as (
    select
        sex,
        born,
        zip,
        class_size,
        class_size >= 5 as satisfied
    from classes
), l_diversity as (
    select
        sex,
        born,
        zip,
        count(*) as diversity,
        count(*) >= 2 as satisfied
    from class_values_of_diagnosis as class_values
    group by sex, born, zip
), published_classes as (
    select
        sex,
        born,
        zip,
        row_number() over (order by sex nulls last, born nulls last, zip nulls last) as place
    from (
        select
            sex,
            born,
            zip
        from k_anonymity
        where satisfied
        intersect
        select
            sex,
            born,
            zip
        from l_diversity
        where satisfied
    ) as satisfied_classes
)
select
    generalized.*
from generalized
inner join published_classes
    on published_classes.sex is not distinct from generalized.sex
    and published_classes.born is not distinct from generalized.born
    and published_classes.zip is not distinct from generalized.zip
order by
    published_classes.place nulls last,
    generalized.diagnosis nulls last,
    generalized.cost nulls last;
