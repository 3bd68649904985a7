-- release: what plan publishes of it's.csv, in the order of the published values
--   the "age", sex, diagnosis, salary as in the source
--   visitor                  a keyed hash
--   not published            rows of classes that break a promise
--   counted                  persons, by visitor, and not rows
--   class                    the persons whose rows have the same labels, all rows together
--   cut                      to 4 rows of a person, chosen by a keyed hash
--   decides                  which rows are kept: the "age", sex, diagnosis, salary, visitor
--   promise                  every published row shares its quasi-identifiers with at least 4 other
--                            persons (k = 5)
--   promise                  every class holds at least 2 different values of diagnosis, and at
--                            least 1 person without each of them
with source as (
    select "the ""age""", sex, diagnosis, salary, visitor
    from (
        select
            "the ""age""", sex, diagnosis, salary, visitor,
            -- in an order that nobody knows: the key is a session variable and stored in no file
            row_number() over (
                partition by visitor
                order by sha256(concat(
                    getvariable('sqlanon_pseudonym_key'), '|rows',
                    '|', length(cast("the ""age""" as varchar)), ':',
                    cast("the ""age""" as varchar),
                    '|', length(cast(sex as varchar)), ':', cast(sex as varchar),
                    '|', length(cast(diagnosis as varchar)), ':', cast(diagnosis as varchar),
                    '|', length(cast(salary as varchar)), ':', cast(salary as varchar),
                    '|', length(cast(visitor as varchar)), ':', cast(visitor as varchar)
                ))
            ) as row_place_of_person
        from (
    select
        "the ""age""",
        sex,
        diagnosis,
        salary,
        -- keyed hash (HMAC construction); the key is a session variable and is stored in no file
        sha256(getvariable('sqlanon_pseudonym_key') || sha256(
            getvariable('sqlanon_pseudonym_key') || cast(visitor as varchar)
        )) as visitor
    from read_csv('it''s.csv', hive_partitioning = false, header = true, quote = '"',
        escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ';', auto_type_candidates = ['varchar'],
        types = {'the "age"': 'INTEGER'})
        ) as read_rows
    ) as placed_rows
    where row_place_of_person <= 4
),
labeled_rows as (
    select
        "the ""age""", sex, diagnosis, salary, visitor
    from source
),
numbered_labels as (
    -- one row per row of labels that occurs
    select "the ""age""", sex, row_number() over (order by "the ""age""", sex) as label_number
    from (
        select "the ""age""", sex
        from labeled_rows
        group by "the ""age""", sex
    ) as distinct_labels
),
listed_labels as (
    -- one row per person: the rows of labels, each as often as it occurs
    select
        labeled_rows.visitor,
        list(numbered_labels.label_number order by numbered_labels.label_number) as label_numbers
    from labeled_rows
    inner join numbered_labels
        on numbered_labels."the ""age""" is not distinct from labeled_rows."the ""age"""
        and numbered_labels.sex is not distinct from labeled_rows.sex
    group by labeled_rows.visitor
),
histories as (
    -- persons with the same list have the same number, and are one class
    select visitor, dense_rank() over (order by label_numbers) as history
    from listed_labels
),
generalized as (
    select labeled_rows.*, histories.history
    from labeled_rows
    inner join histories
        on histories.visitor is not distinct from labeled_rows.visitor
),
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select history, diagnosis, visitor, count(*) as row_count
    from generalized
    group by history, diagnosis, visitor
),
classes as (
    select history, count(distinct visitor) as class_size
    from combinations
    group by history
),
class_values_of_diagnosis as (
    select history, diagnosis as value, count(distinct visitor) as value_count
    from combinations
    group by history, diagnosis
),
k_anonymity as (
    select history, class_size, class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    select
        class_values.history,
        least(
            count(*),
            min(classes.class_size - class_values.value_count) + 1
        ) as diversity,
        least(
            count(*),
            min(classes.class_size - class_values.value_count) + 1
        ) >= 2 as satisfied
    from class_values_of_diagnosis as class_values
    inner join classes
        on classes.history is not distinct from class_values.history
    group by class_values.history
),
published_classes as (
    select history, row_number() over (order by history) as place
    from (
        select history from k_anonymity where satisfied
        intersect
        select history from l_diversity where satisfied
    ) as satisfied_classes
)
select
    generalized."the ""age""", generalized.sex, generalized.diagnosis, generalized.salary,
    generalized.visitor
from generalized
inner join published_classes
    on published_classes.history is not distinct from generalized.history
order by
    generalized."the ""age""", generalized.sex, generalized.diagnosis, generalized.salary,
    generalized.visitor
