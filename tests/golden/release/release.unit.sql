-- release: what plan publishes of it's.csv, in the order of the published values
--   the "age"                intervals of width 2.5, such as [1.0, 3.5)
--   sex, diagnosis, salary, visitor as in the source
--   left out                 rows of classes that break a promise
--   decides                  which rows are kept: the "age", sex, diagnosis, visitor
--   promise                  every published row shares its quasi-identifiers with at least 4
--                            others (k = 5)
--   promise                  in every class the values of diagnosis are spread as in the whole
--                            table, to a distance of 0.2 (equal)
with source as not materialized (
    select "the ""age""", sex, diagnosis, salary, visitor
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
        sex, diagnosis, salary, visitor
    from (
        select source.*, cast("the ""age""" as decimal(37, 18)) as "the ""age""_as_number"
        from source
    ) as source
),
table_values_of_diagnosis as (
    -- the values of diagnosis in the whole table, numbered by number and text
    select text, number, place, place as value, row_count
    from (
        select
            text,
            try_cast(text as double) as number,
            row_number() over (
                order by try_cast(text as double) nulls last, text nulls last
            ) as place,
            row_count
        from (
            select diagnosis as text, count(distinct visitor) as row_count
            from source
            group by diagnosis
        ) as counted_values
    ) as placed_values
),
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select "the ""age""", sex, diagnosis, visitor, count(*) as row_count
    from generalized
    group by "the ""age""", sex, diagnosis, visitor
),
classes as (
    select "the ""age""", sex, count(distinct visitor) as class_size
    from combinations
    group by "the ""age""", sex
),
class_values_of_diagnosis as (
    select
        combinations."the ""age""", combinations.sex, table_values_of_diagnosis.value,
        count(distinct combinations.visitor) as value_count
    from combinations
    inner join table_values_of_diagnosis
        on table_values_of_diagnosis.text is not distinct from combinations.diagnosis
    group by combinations."the ""age""", combinations.sex, table_values_of_diagnosis.value
),
value_classes_of_diagnosis as (
    select "the ""age""", sex, cast(sum(value_count) as bigint) as class_size
    from class_values_of_diagnosis
    group by "the ""age""", sex
),
k_anonymity as (
    select "the ""age""", sex, class_size, class_size >= 5 as satisfied
    from classes
),
t_closeness as (
    with table_shares as (
        select

            table_values.value,
            table_values.row_count
                / sum(cast(table_values.row_count as double))
                over () as share
        from table_values_of_diagnosis as table_values
    ),
    class_distances as (
        select
            classes."the ""age""", classes.sex,
            classes.class_size,
            sum(
                greatest(
                    class_values.value_count / cast(classes.class_size as double)
                        - table_shares.share,
                    0
                )
            ) as distance
        from class_values_of_diagnosis as class_values
        inner join table_shares
            on table_shares.value = class_values.value
        inner join value_classes_of_diagnosis as classes
            on classes."the ""age""" is not distinct from class_values."the ""age"""
            and classes.sex is not distinct from class_values.sex
        group by classes."the ""age""", classes.sex, classes.class_size
    )
    select
        class_distances."the ""age""", class_distances.sex,
        class_distances.distance,
        class_distances.distance <= 0.2 + 0.000000001 as satisfied
    from class_distances
),
published_classes as (
    select "the ""age""", sex, row_number() over (order by "the ""age""", sex) as place
    from (
        select "the ""age""", sex from k_anonymity where satisfied
        intersect
        select "the ""age""", sex from t_closeness where satisfied
    ) as held_classes
)
select generalized.*
from generalized
inner join published_classes
    on published_classes."the ""age""" is not distinct from generalized."the ""age"""
    and published_classes.sex is not distinct from generalized.sex
order by published_classes.place, generalized.diagnosis, generalized.salary, generalized.visitor
