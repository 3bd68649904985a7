-- release: what passes.yml publishes of patients.csv, in the order of the published values
--   sex             as in the source
--   born            by decade, such as 1980s; or one value for all
--   zip             as in the source; or 1 character masked from the right, such as 1234*; or 2
--                   characters masked from the right, such as 123**; or one value for all
--   marital_status  as in the source; or level 1 of adult/marital-status.csv, such as living with
--                   spouse and living apart from spouse; or level 2 of adult/marital-status.csv,
--                   such as married and unmarried; or one value for all
--   diagnosis, cost as in the source
--   not published   patient_id, name (identifiers); rows of classes that break a promise
--   pass 1          102 rows, mean loss 0.0554: born to level 3
--   pass 2          80 rows, mean loss 0.0660: born to level 3, zip to level 1
--   pass 3          1,040 rows, mean loss 0.1186: born to level 3, zip to level 2
--   pass 4          206 rows, mean loss 0.1982: born to level 3, zip to level 2, marital_status to
--                   level 2
--   pass 5          180 rows, mean loss 0.2560: born to level 3, zip to level 2, marital_status to
--                   level 3
--   pass 6          266 rows, mean loss 0.4249: born to level 4, zip to level 2, marital_status to
--                   level 1
--   pass 7          89 rows, mean loss 0.5480: born to level 3, zip to level 5, marital_status to
--                   level 3
--   pass 8          37 rows, mean loss 0.8333: born to level 4, zip to level 5, marital_status to
--                   level 3
--   decides         which rows are kept: sex, born, zip, marital_status, diagnosis
--   promise         every published row shares its quasi-identifiers with at least 4 others (k = 5)
--   promise         every class holds at least 2 different values of diagnosis
with source as (
    select sex, born, zip, marital_status, diagnosis, cost
    from read_csv('patients.csv', hive_partitioning = false, header = true, all_varchar = true,
        quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ',')
),
hierarchy_of_marital_status as (
    select
        level_0 as value, level_0 as label, level_1 as label_1, level_2 as label_2,
        level_3 as label_3
    from read_csv('target/passes/hierarchies/adult/marital-status.csv', auto_detect = false,
        hive_partitioning = false, delim = ',', header = true,
        columns = {
            'level_0': 'varchar', 'level_1': 'varchar', 'level_2': 'varchar', 'level_3': 'varchar'
        })
),
value_combinations as (
    -- the distinct combinations of values
    select sex, born, zip, marital_status, count(*) as row_count
    from source
    group by sex, born, zip, marital_status
),
labeled_combinations as (
    select
        value_combinations.sex, value_combinations.born, value_combinations.zip,
        value_combinations.marital_status, value_combinations.row_count,
        value_combinations.sex as sex_level_0,
        cast(
            year(cast(value_combinations.born as timestamp)) // 10 * 10 as varchar
        ) || 's' as born_level_3,
        '*' as born_level_4,
        value_combinations.zip as zip_level_0,
        substring(value_combinations.zip, 1, greatest(length(value_combinations.zip) - 1, 0))
            || repeat('*', least(1, length(value_combinations.zip))) as zip_level_1,
        substring(value_combinations.zip, 1, greatest(length(value_combinations.zip) - 2, 0))
            || repeat('*', least(2, length(value_combinations.zip))) as zip_level_2,
        '*' as zip_level_5,
        value_combinations.marital_status as marital_status_level_0,
        hierarchy_of_marital_status.label_1 as marital_status_level_1,
        hierarchy_of_marital_status.label_2 as marital_status_level_2,
        '*' as marital_status_level_3
    from value_combinations
    left join hierarchy_of_marital_status
        on hierarchy_of_marital_status.value = value_combinations.marital_status
),
pass_1 as (
    -- pass 1: 102 rows, mean loss 0.0554: born to level 3
    select
        *,
        sum(row_count) over (
            partition by sex_level_0, born_level_3, zip_level_0, marital_status_level_0
        ) as members_1
    from labeled_combinations
),
pass_2 as (
    -- pass 2: 80 rows, mean loss 0.0660: born to level 3, zip to level 1
    select
        *,
        sum(row_count) over (
            partition by sex_level_0, born_level_3, zip_level_1, marital_status_level_0
        ) as members_2
    from pass_1
    where members_1 < 10
),
pass_3 as (
    -- pass 3: 1,040 rows, mean loss 0.1186: born to level 3, zip to level 2
    select
        *,
        sum(row_count) over (
            partition by sex_level_0, born_level_3, zip_level_2, marital_status_level_0
        ) as members_3
    from pass_2
    where members_2 < 10
),
pass_4 as (
    -- pass 4: 206 rows, mean loss 0.1982: born to level 3, zip to level 2, marital_status to
    --   level 2
    select
        *,
        sum(row_count) over (
            partition by sex_level_0, born_level_3, zip_level_2, marital_status_level_2
        ) as members_4
    from pass_3
    where members_3 < 10
),
pass_5 as (
    -- pass 5: 180 rows, mean loss 0.2560: born to level 3, zip to level 2, marital_status to
    --   level 3
    select *, sum(row_count) over (partition by sex_level_0, born_level_3, zip_level_2) as members_5
    from pass_4
    where members_4 < 10
),
pass_6 as (
    -- pass 6: 266 rows, mean loss 0.4249: born to level 4, zip to level 2, marital_status to
    --   level 1
    select
        *,
        sum(row_count) over (
            partition by sex_level_0, zip_level_2, marital_status_level_1
        ) as members_6
    from pass_5
    where members_5 < 10
),
pass_7 as (
    -- pass 7: 89 rows, mean loss 0.5480: born to level 3, zip to level 5, marital_status to level
    --   3
    select *, sum(row_count) over (partition by sex_level_0, born_level_3) as members_7
    from pass_6
    where members_6 < 10
),
pass_8 as (
    -- pass 8: 37 rows, mean loss 0.8333: born to level 4, zip to level 5, marital_status to level
    --   3
    select *, sum(row_count) over (partition by sex_level_0) as members_8
    from pass_7
    where members_7 < 10
),
placed_combinations as (
    select
        sex, born, zip, marital_status,
        sex_level_0 as sex_label, born_level_3 as born_label, zip_level_0 as zip_label,
        marital_status_level_0 as marital_status_label
    from pass_1
    where members_1 >= 10
    union all
    select
        sex, born, zip, marital_status,
        sex_level_0, born_level_3, zip_level_1, marital_status_level_0
    from pass_2
    where members_2 >= 10
    union all
    select
        sex, born, zip, marital_status,
        sex_level_0, born_level_3, zip_level_2, marital_status_level_0
    from pass_3
    where members_3 >= 10
    union all
    select
        sex, born, zip, marital_status,
        sex_level_0, born_level_3, zip_level_2, marital_status_level_2
    from pass_4
    where members_4 >= 10
    union all
    select
        sex, born, zip, marital_status,
        sex_level_0, born_level_3, zip_level_2, marital_status_level_3
    from pass_5
    where members_5 >= 10
    union all
    select
        sex, born, zip, marital_status,
        sex_level_0, born_level_4, zip_level_2, marital_status_level_1
    from pass_6
    where members_6 >= 10
    union all
    select
        sex, born, zip, marital_status,
        sex_level_0, born_level_3, zip_level_5, marital_status_level_3
    from pass_7
    where members_7 >= 10
    union all
    select
        sex, born, zip, marital_status,
        sex_level_0, born_level_4, zip_level_5, marital_status_level_3
    from pass_8
    where members_8 >= 10
),
generalized as (
    select
        placed_combinations.sex_label as sex,
        placed_combinations.born_label as born,
        placed_combinations.zip_label as zip,
        placed_combinations.marital_status_label as marital_status,
        source.diagnosis as diagnosis,
        source.cost as cost
    from source
    inner join placed_combinations
        on placed_combinations.sex is not distinct from source.sex
        and placed_combinations.born is not distinct from source.born
        and placed_combinations.zip is not distinct from source.zip
        and placed_combinations.marital_status is not distinct from source.marital_status
),
class_values_of_diagnosis as (
    select sex, born, zip, marital_status, diagnosis as value, count(*) as value_count
    from generalized
    group by sex, born, zip, marital_status, diagnosis
),
classes as (
    select sex, born, zip, marital_status, cast(sum(value_count) as bigint) as class_size
    from class_values_of_diagnosis
    group by sex, born, zip, marital_status
),
k_anonymity as (
    select sex, born, zip, marital_status, class_size, class_size >= 5 as satisfied
    from classes
),
l_diversity as (
    select sex, born, zip, marital_status, count(*) as diversity, count(*) >= 2 as satisfied
    from class_values_of_diagnosis as class_values
    group by sex, born, zip, marital_status
),
published_classes as (
    select
        sex, born, zip, marital_status,
        row_number() over (order by sex, born, zip, marital_status) as place
    from (
        select sex, born, zip, marital_status from k_anonymity where satisfied
        intersect
        select sex, born, zip, marital_status from l_diversity where satisfied
    ) as satisfied_classes
)
select generalized.*
from generalized
inner join published_classes
    on published_classes.sex is not distinct from generalized.sex
    and published_classes.born is not distinct from generalized.born
    and published_classes.zip is not distinct from generalized.zip
    and published_classes.marital_status is not distinct from generalized.marital_status
order by published_classes.place, generalized.diagnosis, generalized.cost;
