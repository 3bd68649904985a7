-- release: a sample of a whole release in one query
--   born   a decade
with source as (
    -- the columns of the file
    select sex, born, zip, marital_status, diagnosis, cost
    from read_csv('patients.csv', header = true, all_varchar = true)
),
statuses as (
    select level_0, level_1
    from read_csv('statuses.csv', all_varchar = true, header = true)
),
generalized as (
    select
        source.sex,
        cast(year(cast(source.born as date)) // 10 * 10 as varchar) || 's' as born,
        strftime(cast(source.born as date), '%G-W%V') as week,
        substring(source.zip, 1, length(source.zip) - 2) || repeat('*', least(2, length(source.zip)))
            as zip,
        statuses.level_1 as "marital-status",
        source.diagnosis,
        case
            when cast(source.cost as decimal(37, 18)) < 100 then '< 100'
            when cast(source.cost as decimal(37, 18)) >= 4000.5 then '>= 4000.5'
            when cast(source.cost as decimal(37, 18)) is not null then '['
                || greatest(
                    cast(
                        cast(source.cost as decimal(37, 18))
                            - cast(source.cost as decimal(37, 18)) % 250 as decimal(38, 2)
                    ),
                    100
                ) || ', )'
        end as cost,
        cast(cast(round(cast(source.cost as decimal(37, 18)), -2) as decimal(38, 0)) as varchar)
            as "Order"
    from source
    left join statuses on statuses.level_0 is not distinct from source.marital_status
),
classes as (
    select sex, born, zip, "marital-status", count(*) as class_size
    from generalized
    group by sex, born, zip, "marital-status"
),
class_values as (
    select sex, born, zip, "marital-status", diagnosis as value, count(*) as value_count
    from generalized
    group by sex, born, zip, "marital-status", diagnosis
),
k_anonymity as (
    select classes.sex, classes.born, classes.zip, classes."marital-status", class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    select sex, born, zip, "marital-status", count(*) >= 2 as satisfied
    from class_values
    group by sex, born, zip, "marital-status"
),
published_classes as (
    select sex, born, zip, "marital-status" from k_anonymity where satisfied
    intersect
    select sex, born, zip, "marital-status" from l_diversity where satisfied
)
select generalized.*
from generalized
inner join published_classes
    on published_classes.sex is not distinct from generalized.sex
    and published_classes.born is not distinct from generalized.born
    and published_classes.zip is not distinct from generalized.zip
    and published_classes."marital-status" is not distinct from generalized."marital-status"
order by all
