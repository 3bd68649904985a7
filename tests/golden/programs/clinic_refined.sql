-- label_gains: what a row gains if its label goes down a level
-- source:  Ghinita 2007, by values: 0 for a label of a single value, else leaves / all leaves
-- reads:   generalized_values, level_codes, level_measures
-- returns: one row per column, level above 0, and label of the level below
--   code    of the label below, as in generalized_values
--   gain    loss of the label at the level less that of the label below, with the attribute's
--           weight; whole numbers, so that sums are exact          [billionths of a row]
create table sqlanon.label_gains as
with weights (attribute, weight) as (
    values
        ('sex', 166666667),
        ('born', 333333333),
        ('zip', 333333333),
        ('marital_status', 166666667)
),
label_losses as (
    select
        labels.attribute,
        labels.level,
        labels.code,
        case
            when labels.leaf_count = 1 then 0
            else weights.weight * labels.leaf_count // levels.leaf_count
        end as loss
    from sqlanon.generalized_values as labels
    inner join sqlanon.level_measures as levels
        on levels.attribute = labels.attribute
        and levels.level = labels.level
    inner join weights on weights.attribute = labels.attribute
)
select
    level_codes.attribute_number,
    level_codes.level,
    lower_labels.code,
    upper_labels.loss - lower_labels.loss as gain
from label_losses as lower_labels
inner join sqlanon.level_codes
    on level_codes.attribute = lower_labels.attribute
    and level_codes.level = lower_labels.level + 1
inner join label_losses as upper_labels
    on upper_labels.attribute = lower_labels.attribute
    and upper_labels.level = level_codes.level
    and upper_labels.code = lower_labels.code & level_codes.mask;

-- classes_of_round_0: the classes that passes make
-- reads:   frequency_set
-- returns: one row per distinct combination that a pass places: the first at whose node 5 rows that
--   wait have its label
--   class       number of the class
--   changed     round in which it was made                  [1]
--   level_1     level of sex
--   level_2     level of born
--   level_3     level of zip
--   level_4     level of marital_status
--   row_count   source rows                                 [rows]
create table sqlanon.classes_of_round_0 as
with combinations as (
    select key_1, cast(sum(row_count) as bigint) as row_count
    from sqlanon.frequency_set
    group by key_1
),
pass_1 as (
    select *, sum(row_count) over (partition by key_1 & 65073153) as members_1
    from combinations
),
placed_rows as (
    select key_1, row_count, 1 as pass
    from pass_1
    where members_1 >= 5
),
pass_levels (pass, mask_1, level_1, level_2, level_3, level_4) as (
    values
        (1, 65073153, 0, 3, 2, 3)
)
select
    key_1,
    row_count,
    dense_rank() over (
        order by pass_levels.pass, key_1 & mask_1
    ) as class,
    0 as changed,
    level_1,
    level_2,
    level_3,
    level_4
from placed_rows
inner join pass_levels on pass_levels.pass = placed_rows.pass;

-- classes_of_round_1: classes of the previous round, with one column a level lower
--   It is the column by which the rows of a class gain most, of equal ones the first, if all parts
--   keep 5 rows.
-- reads:   classes_of_round_0, label_gains, level_codes
-- returns: one row per row of classes_of_round_0; its columns
create table sqlanon.classes_of_round_1 as
with cells as (
    -- one row per column and row of a class that changed last
    select
        classes.class,
        classes.row_count,
        classes.key_1,
        columns.attribute_number,
        case columns.attribute_number
            when 1 then classes.level_1
            when 2 then classes.level_2
            when 3 then classes.level_3
            when 4 then classes.level_4
        end as level
    from sqlanon.classes_of_round_0 as classes
    cross join (
        values (1), (2), (3), (4)
    ) as columns (attribute_number)
    where classes.changed = 0
),
parts as (
    -- one row per class, column, and label a level lower
    select
        cells.class,
        cells.attribute_number,
        cells.level,
        sum(cells.row_count) as members,
        sum(cells.row_count * label_gains.gain) as gain
    from cells
    inner join sqlanon.level_codes as lower_codes
        on lower_codes.attribute_number = cells.attribute_number
        and lower_codes.level = cells.level - 1
    inner join sqlanon.label_gains
        on label_gains.attribute_number = cells.attribute_number
        and label_gains.level = cells.level
        and label_gains.code = cells.key_1 & lower_codes.mask
    group by cells.class, cells.attribute_number, cells.level, label_gains.code
),
lowered as (
    -- one row per class and column that can go down, the best first
    select
        class,
        attribute_number,
        level,
        row_number() over (partition by class order by sum(gain) desc, attribute_number) as place
    from parts
    group by class, attribute_number, level
    having min(members) >= 5
),
refined as (
    -- the rows of all classes, and the part of each
    select
        classes.*,
        lowered.attribute_number as lowered,
        classes.key_1 & lower_codes.mask as part
    from sqlanon.classes_of_round_0 as classes
    left join lowered
        on lowered.class = classes.class
        and lowered.place = 1
    left join sqlanon.level_codes as lower_codes
        on lower_codes.attribute_number = lowered.attribute_number
        and lower_codes.level = lowered.level - 1
)
select
    key_1,
    row_count,
    dense_rank() over (order by class, part) as class,
    case when lowered is null then changed else 1 end as changed,
    case when lowered = 1 then level_1 - 1 else level_1 end as level_1,
    case when lowered = 2 then level_2 - 1 else level_2 end as level_2,
    case when lowered = 3 then level_3 - 1 else level_3 end as level_3,
    case when lowered = 4 then level_4 - 1 else level_4 end as level_4
from refined;

-- placed_combinations: the labels of each combination, as refined in 3 rounds
-- reads:   source_combinations, value_codes, classes_of_round_3, generalized_values
-- returns: one row per combination of quasi-identifiers that a pass places
create table sqlanon.placed_combinations as
with value_combinations as (
    select distinct sex, born, zip, marital_status
    from sqlanon.source_combinations
),
combinations as (
    -- the same with their packed keys
    select
        value_combinations.*,
        codes_1.key_1
        + codes_2.key_1
        + codes_3.key_1
        + codes_4.key_1 as key_1
    from value_combinations
    left join sqlanon.value_codes as codes_1
        on codes_1.attribute = 'sex'
        and codes_1.value
            is not distinct from cast(value_combinations.sex as varchar)
    left join sqlanon.value_codes as codes_2
        on codes_2.attribute = 'born'
        and codes_2.value
            is not distinct from cast(value_combinations.born as varchar)
    left join sqlanon.value_codes as codes_3
        on codes_3.attribute = 'zip'
        and codes_3.value
            is not distinct from cast(value_combinations.zip as varchar)
    left join sqlanon.value_codes as codes_4
        on codes_4.attribute = 'marital_status'
        and codes_4.value
            is not distinct from cast(value_combinations.marital_status as varchar)
),
refined as (
    select distinct key_1, level_1, level_2, level_3, level_4
    from sqlanon.classes_of_round_3
)
select
    combinations.sex,
    labels_1.label as sex_label,
    combinations.born,
    labels_2.label as born_label,
    combinations.zip,
    labels_3.label as zip_label,
    combinations.marital_status,
    labels_4.label as marital_status_label
from combinations
inner join refined
    on refined.key_1 = combinations.key_1
left join sqlanon.generalized_values as labels_1
    on labels_1.attribute = 'sex'
    and labels_1.level = refined.level_1
    and labels_1.code = refined.key_1
        & case refined.level_1
            when 0 then 1
            when 1 then 0
        end
left join sqlanon.generalized_values as labels_2
    on labels_2.attribute = 'born'
    and labels_2.level = refined.level_2
    and labels_2.code = refined.key_1
        & case refined.level_2
            when 0 then 65534
            when 1 then 65520
            when 2 then 65280
            when 3 then 61440
            when 4 then 0
        end
left join sqlanon.generalized_values as labels_3
    on labels_3.attribute = 'zip'
    and labels_3.level = refined.level_3
    and labels_3.code = refined.key_1
        & case refined.level_3
            when 0 then 67043328
            when 1 then 66846720
            when 2 then 65011712
            when 3 then 62914560
            when 4 then 50331648
            when 5 then 0
        end
left join sqlanon.generalized_values as labels_4
    on labels_4.attribute = 'marital_status'
    and labels_4.level = refined.level_4
    and labels_4.code = refined.key_1
        & case refined.level_4
            when 0 then 469762048
            when 1 then 402653184
            when 2 then 268435456
            when 3 then 0
        end;

-- release: what refined.yml publishes of patients.csv, in the order of the published values
--   sex             as in the source
--   born            as in the source; or by month, such as 1984-05; or by year, such as 1984; or by
--                   decade, such as 1980s
--   zip             as in the source; or 1 character masked from the right, such as 1234*; or 2
--                   characters masked from the right, such as 123**
--   marital_status  as in the source; or level 1 of adult/marital-status.csv, such as living with
--                   spouse and living apart from spouse; or level 2 of adult/marital-status.csv,
--                   such as married and unmarried; or one value for all
--   diagnosis, cost as in the source
--   not published   patient_id, name (identifiers); rows of classes that break a promise
--   pass 1          1,950 rows, mean loss 0.2813: born to level 3, zip to level 2, marital_status
--                   to level 3
--   refined         each class goes down a level in the column by which its rows gain most, while
--                   all its parts have 5 rows (rounds: 3); placed_combinations has the labels
--   decides         which rows are kept: sex, born, zip, marital_status
--   promise         every published row shares its quasi-identifiers with at least 4 others (k = 5)
copy (
with source as (
    select sex, born, zip, marital_status, diagnosis, cost
    from read_csv('patients.csv', hive_partitioning = false, header = true, all_varchar = true,
        quote = '"', escape = '"', comment = '', skip = 0, strict_mode = true, null_padding = false,
        ignore_errors = false, delim = ',')
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
    inner join sqlanon.placed_combinations
        on placed_combinations.sex is not distinct from source.sex
        and placed_combinations.born is not distinct from source.born
        and placed_combinations.zip is not distinct from source.zip
        and placed_combinations.marital_status is not distinct from source.marital_status
),
classes as (
    select sex, born, zip, marital_status, count(*) as class_size
    from generalized
    group by sex, born, zip, marital_status
),
k_anonymity as (
    select sex, born, zip, marital_status, class_size, class_size >= 5 as satisfied
    from classes
),
published_classes as (
    select
        sex, born, zip, marital_status,
        row_number() over (order by sex, born, zip, marital_status) as place
    from k_anonymity
    where satisfied
)
select generalized.*
from generalized
inner join published_classes
    on published_classes.sex is not distinct from generalized.sex
    and published_classes.born is not distinct from generalized.born
    and published_classes.zip is not distinct from generalized.zip
    and published_classes.marital_status is not distinct from generalized.marital_status
order by published_classes.place, generalized.diagnosis, generalized.cost
) to 'target/refined/staged.parquet' (format parquet);
