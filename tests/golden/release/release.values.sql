-- release: what plan publishes of it's.csv, in the order of the published values
--   the "age"              intervals of width 2.5, such as [1.0, 3.5)
--   sex, diagnosis, salary as in the source
--   not published          rows of classes that break a promise
--   decides                which rows are kept: the "age", sex, diagnosis
--   promise                every published row shares its quasi-identifiers with at least 4 others
--                          (k = 5)
--   promise                every class holds at least 3 different values of diagnosis
with source as not materialized (
    select "the ""age""", sex, diagnosis, salary
    from read_csv('it''s.csv', hive_partitioning = false, header = true, quote = '"',
        escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ';', auto_type_candidates = ['varchar'],
        types = {'the "age"': 'INTEGER'})
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
class_values_of_diagnosis as (
    select "the ""age""", sex, diagnosis as value, count(*) as value_count
    from generalized
    group by "the ""age""", sex, diagnosis
),
classes as (
    select "the ""age""", sex, cast(sum(value_count) as bigint) as class_size
    from class_values_of_diagnosis
    group by "the ""age""", sex
),
k_anonymity as (
    select "the ""age""", sex, class_size, class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    select "the ""age""", sex, count(*) as diversity, count(*) >= 3 as satisfied
    from class_values_of_diagnosis as class_values
    group by "the ""age""", sex
),
published_classes as (
    select "the ""age""", sex, row_number() over (order by "the ""age""", sex) as place
    from (
        select "the ""age""", sex from k_anonymity where satisfied
        intersect
        select "the ""age""", sex from l_diversity where satisfied
    ) as satisfied_classes
)
select generalized.*
from generalized
inner join published_classes
    on published_classes."the ""age""" is not distinct from generalized."the ""age"""
    and published_classes.sex is not distinct from generalized.sex
order by published_classes.place, generalized.diagnosis, generalized.salary
