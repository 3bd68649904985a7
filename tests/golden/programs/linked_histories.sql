-- release: what linked_histories.yml publishes of visits.csv, in the order of the published
--   values
--   age           as in the source
--   zip           level 1 of zip.csv, such as 478* and 479*
--   disease       as in the source
--   person        a keyed hash
--   not published rows of classes that break a promise
--   counted       persons, by person, and not rows
--   class         the persons whose rows have the same labels, all rows together
--   cut           to 2 rows of a person, chosen by a keyed hash
--   decides       which rows are kept: age, zip, disease, person
--   promise       every published row shares its quasi-identifiers with at least 1 other person (k
--                 = 2)
with source as (
    select age, zip, disease, person
    from (
        select
            age, zip, disease, person,
            -- in an order that nobody knows: the key is a session variable and stored in no file
            row_number() over (
                partition by person
                order by sha256(concat(
                    getvariable('sqlanon_pseudonym_key'), '|rows',
                    '|', length(cast(age as varchar)), ':', cast(age as varchar),
                    '|', length(cast(zip as varchar)), ':', cast(zip as varchar),
                    '|', length(cast(disease as varchar)), ':', cast(disease as varchar),
                    '|', length(cast(person as varchar)), ':', cast(person as varchar)
                ))
            ) as row_place_of_person
        from (
    select
        age,
        zip,
        disease,
        -- keyed hash (HMAC construction); the key is a session variable and is stored in no file
        sha256(getvariable('sqlanon_pseudonym_key') || sha256(
            getvariable('sqlanon_pseudonym_key') || cast(person as varchar)
        )) as person
    from read_csv('visits.csv', hive_partitioning = false, header = true, all_varchar = true,
        quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ',')
        ) as read_rows
    ) as placed_rows
    where row_place_of_person <= 2
),
hierarchy_of_zip as (
    select level_0 as value, level_1 as label
    from read_csv('zip.csv', auto_detect = false, hive_partitioning = false, delim = ',',
        header = false,
        columns = {'level_0': 'varchar', 'level_1': 'varchar', 'level_2': 'varchar'})
),
labeled_rows as (
    select
        source.age,
        hierarchy_of_zip.label as zip,
        source.disease,
        source.person as column_4
    from source
    left join hierarchy_of_zip on hierarchy_of_zip.value = source.zip
),
numbered_labels as (
    -- one row per row of labels that occurs
    select age, zip, row_number() over (order by age, zip) as label_number
    from (
        select age, zip
        from labeled_rows
        group by age, zip
    ) as distinct_labels
),
listed_labels as (
    -- one row per person: the rows of labels, each as often as it occurs
    select
        labeled_rows.column_4,
        list(numbered_labels.label_number order by numbered_labels.label_number) as label_numbers
    from labeled_rows
    inner join numbered_labels
        on numbered_labels.age is not distinct from labeled_rows.age
        and numbered_labels.zip is not distinct from labeled_rows.zip
    group by labeled_rows.column_4
),
histories as (
    -- persons with the same list have the same number, and are one class
    select column_4, dense_rank() over (order by label_numbers) as history
    from listed_labels
),
generalized as (
    select labeled_rows.*, histories.history
    from labeled_rows
    inner join histories
        on histories.column_4 is not distinct from labeled_rows.column_4
),
combinations as (
    -- the rows, counted by what is published of them and what promises count
    select history, column_4, count(*) as row_count
    from generalized
    group by history, column_4
),
classes as (
    select history, count(distinct column_4) as class_size
    from combinations
    group by history
),
k_anonymity as (
    select history, class_size, class_size >= 2 as satisfied
    from classes
),
published_classes as (
    select history, row_number() over (order by history) as place
    from k_anonymity
    where satisfied
)
select generalized.age, generalized.zip, generalized.disease, generalized.column_4 as person
from generalized
inner join published_classes
    on published_classes.history is not distinct from generalized.history
order by generalized.age, generalized.zip, generalized.disease, generalized.column_4;
