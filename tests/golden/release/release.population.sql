-- release: what plan publishes of it's.csv, in the order of the published values
--   the "age"              intervals of width 2.5, such as [1.0, 3.5)
--   sex, diagnosis, salary as in the source
--   not published          rows of classes that break a promise
--   population             voters.parquet, with the same labels
--   decides                which rows are kept: the "age", sex
--   promise                every person of the population is in the table with a chance from 0.1 to
--                          0.5
with source as not materialized (
    select "the ""age""", sex, diagnosis, salary
    from read_csv('it''s.csv', hive_partitioning = false, header = true, quote = '"',
        escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ';', auto_type_candidates = ['varchar'],
        types = {'the "age"': 'INTEGER'})
),
population as not materialized (
    select "the ""age""", sex
    from read_parquet('voters.parquet', hive_partitioning = false)
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
        sex, diagnosis, salary
    from (
        select source.*, cast("the ""age""" as decimal(37, 18)) as "the ""age""_as_number"
        from source
    ) as source
),
generalized_population as (
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
        sex
    from (
        select population.*, cast("the ""age""" as decimal(37, 18)) as "the ""age""_as_number"
        from population
    ) as population
),
population_classes as (
    select "the ""age""", sex, count(*) as population_size
    from generalized_population
    group by "the ""age""", sex
),
classes as (
    select
        counted_classes."the ""age""", counted_classes.sex,
        counted_classes.class_size,
        coalesce(population_classes.population_size, 0) as population_size
    from (
        select "the ""age""", sex, count(*) as class_size
        from generalized
        group by "the ""age""", sex
    ) as counted_classes
    left join population_classes
    on population_classes."the ""age""" is not distinct from counted_classes."the ""age"""
    and population_classes.sex is not distinct from counted_classes.sex
),
delta_presence as (
    select
        classes."the ""age""", classes.sex,
        case
            when classes.population_size > 0
                then cast(classes.class_size as double) / classes.population_size
            else cast('infinity' as double)
        end as presence,
        classes.class_size >= 0.1 * classes.population_size
            and classes.class_size <= 0.5 * classes.population_size as satisfied
    from classes
),
published_classes as (
    select "the ""age""", sex, row_number() over (order by "the ""age""", sex) as place
    from delta_presence
    where satisfied
)
select generalized.*
from generalized
inner join published_classes
    on published_classes."the ""age""" is not distinct from generalized."the ""age"""
    and published_classes.sex is not distinct from generalized.sex
order by published_classes.place, generalized.diagnosis, generalized.salary
