-- release: what plan publishes of it's.csv, in the order of the published values
--   the "age"              intervals of width 2.5, such as [1.0, 3.5)
--   sex, diagnosis, salary as in the source
--   not published          rows of classes that break a promise
--   decides                which rows are kept: the "age", sex, diagnosis
--   promise                every published row shares its quasi-identifiers with at least 4 others
--                          (k = 5)
--   promise                in every class the values of diagnosis are spread as in the whole table,
--                          to a distance of 0.2 (hierarchical)
--   promise                every class has at least 5 rows, and no listed value of diagnosis a
--                          share above 0.5
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
            select diagnosis as text, count(*) as row_count
            from source
            group by diagnosis
        ) as counted_values
    ) as placed_values
    cross join (
        select count(*) as table_size
        from source
    ) as table_sizes
),
hierarchy_of_diagnosis as (
    -- from a file: one row per value, one column per level
    select level_0, level_1, level_2
    from read_csv('it''s a tree.csv', auto_detect = false, hive_partitioning = false, delim = ';',
        header = false,
        columns = {'level_0': 'varchar', 'level_1': 'varchar', 'level_2': 'varchar'})
),
value_levels_of_diagnosis as (
    -- the labels of the values of diagnosis at each level
    select table_values_of_diagnosis.value, 0 as level, labels.level_0 as label
    from table_values_of_diagnosis
    left join hierarchy_of_diagnosis as labels on labels.level_0 = table_values_of_diagnosis.text
    union all select table_values_of_diagnosis.value, 1 as level, labels.level_1 as label
    from table_values_of_diagnosis
    left join hierarchy_of_diagnosis as labels on labels.level_0 = table_values_of_diagnosis.text
    union all select table_values_of_diagnosis.value, 2 as level, labels.level_2 as label
    from table_values_of_diagnosis
    left join hierarchy_of_diagnosis as labels on labels.level_0 = table_values_of_diagnosis.text
),
class_values_of_diagnosis as (
    select
        generalized."the ""age""", generalized.sex, table_values_of_diagnosis.value,
        count(*) as value_count
    from generalized
    inner join table_values_of_diagnosis
        on table_values_of_diagnosis.text is not distinct from generalized.diagnosis
    group by generalized."the ""age""", generalized.sex, table_values_of_diagnosis.value
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
t_closeness as (
    with labels as (
        select value_levels.value, value_levels.level, value_levels.label
        from value_levels_of_diagnosis as value_levels
        where value_levels.level
            < (select max(level) from value_levels_of_diagnosis as all_levels)
    ),
    table_shares as (
        -- the share of each label in the table, repeated for every value below it
        select
            labels.value,
            labels.level,
            dense_rank() over (
                order by labels.level, labels.label nulls last
            ) as label_number,
            sum(table_values.row_count) over (
                partition by
                    labels.level,
                    labels.label
            )
                / cast(table_values.table_size as double) as share
        from labels
        inner join table_values_of_diagnosis as table_values
            on table_values.value = labels.value
    ),
    class_shares as (
        -- labels that occur in the class; only those above their share are summed below
        select
            classes."the ""age""", classes.sex,
            classes.class_size,
            sum(class_values.value_count) / cast(classes.class_size as double)
                - min(table_shares.share) as surplus
        from class_values_of_diagnosis as class_values
        inner join table_shares
            on table_shares.value = class_values.value
        inner join classes
            on classes."the ""age""" is not distinct from class_values."the ""age"""
            and classes.sex is not distinct from class_values.sex
        group by classes."the ""age""", classes.sex, classes.class_size, table_shares.label_number
    ),
    class_distances as (
        select
            class_shares."the ""age""", class_shares.sex,
            class_shares.class_size,
            coalesce(
                sum(greatest(class_shares.surplus, 0))
                    / (select count(distinct level) from labels),
                0
            ) as distance
        from class_shares
        group by class_shares."the ""age""", class_shares.sex, class_shares.class_size
    )
    select
        class_distances."the ""age""", class_distances.sex,
        class_distances.distance,
        class_distances.distance <= 0.2 + 0.000000001 as satisfied
    from class_distances
),
alpha_k_anonymity as (
    with value_shares as (
        select
            classes."the ""age""", classes.sex,
            min(classes.class_size) as class_size,
            coalesce(
                max(class_values.value_count) filter (
                    where table_values.text in ('it''s')
                ),
                0
            ) as largest_count
        from class_values_of_diagnosis as class_values
        inner join table_values_of_diagnosis as table_values
            on table_values.value = class_values.value
        inner join classes
            on classes."the ""age""" is not distinct from class_values."the ""age"""
            and classes.sex is not distinct from class_values.sex
        group by classes."the ""age""", classes.sex
    )
    select
        classes."the ""age""", classes.sex,
        cast(value_shares.largest_count as double) / value_shares.class_size as largest_share,
        classes.class_size,
        classes.class_size >= 5
            and value_shares.largest_count <= 0.5 * value_shares.class_size as satisfied
    from classes
    inner join value_shares
        on value_shares."the ""age""" is not distinct from classes."the ""age"""
        and value_shares.sex is not distinct from classes.sex
),
published_classes as (
    select "the ""age""", sex, row_number() over (order by "the ""age""", sex) as place
    from (
        select "the ""age""", sex from k_anonymity where satisfied
        intersect
        select "the ""age""", sex from t_closeness where satisfied
        intersect
        select "the ""age""", sex from alpha_k_anonymity where satisfied
    ) as satisfied_classes
)
select generalized.*
from generalized
inner join published_classes
    on published_classes."the ""age""" is not distinct from generalized."the ""age"""
    and published_classes.sex is not distinct from generalized.sex
order by published_classes.place, generalized.diagnosis, generalized.salary
