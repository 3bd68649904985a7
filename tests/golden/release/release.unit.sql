-- person_rows: the rows that are published, each with its person; not itself published
-- returns: one row per published row
--   place   place of its class in the order of labels
--   visitor   the person, whom promises count; not in the release
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
    select text, number, place, place as value, row_count, table_size
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
    cross join (
        select count(distinct visitor) as table_size
        from source
    ) as table_sizes
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
k_anonymity as (
    select "the ""age""", sex, class_size, class_size >= 5 as satisfied
    from classes
),
t_closeness as (
    with table_shares as (
        select
            table_values.value,
            table_values.row_count / cast(table_values.table_size as double) as share
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
        inner join classes
            on classes."the ""age""" is not distinct from class_values."the ""age"""
            and classes.sex is not distinct from class_values.sex
        group by classes."the ""age""", classes.sex, classes.class_size
    )
    ,
    table_totals as (
        select
            sum(table_values.row_count) > max(table_values.table_size) as has_several
        from table_values_of_diagnosis as table_values
    ),
    class_totals as (
        -- has_several: persons with several values are there, so that shares sum to more than 1
        select
            classes."the ""age""", classes.sex,
            bool_or(table_totals.has_several)
                or sum(class_values.value_count) > classes.class_size as has_several
        from class_values_of_diagnosis as class_values
        inner join classes
            on classes."the ""age""" is not distinct from class_values."the ""age"""
            and classes.sex is not distinct from class_values.sex
        cross join table_totals
        group by classes."the ""age""", classes.sex, classes.class_size
    ),
    judged_distances as (
        select
            class_distances."the ""age""", class_distances.sex,
            class_distances.class_size,
            case
                when class_totals.has_several then cast('infinity' as double)
                else class_distances.distance
            end as distance
        from class_distances
        inner join class_totals
            on class_totals."the ""age""" is not distinct from class_distances."the ""age"""
            and class_totals.sex is not distinct from class_distances.sex
    )
    select
        judged_distances."the ""age""", judged_distances.sex,
        judged_distances.distance,
        judged_distances.distance <= 0.2 + 0.000000001 as satisfied
    from judged_distances
),
published_classes as (
    select "the ""age""", sex, row_number() over (order by "the ""age""", sex) as place
    from (
        select "the ""age""", sex from k_anonymity where satisfied
        intersect
        select "the ""age""", sex from t_closeness where satisfied
    ) as satisfied_classes
)
select
    published_classes.place, generalized."the ""age""", generalized.sex, generalized.diagnosis,
    generalized.salary, generalized.visitor
from generalized
inner join published_classes
    on published_classes."the ""age""" is not distinct from generalized."the ""age"""
    and published_classes.sex is not distinct from generalized.sex
