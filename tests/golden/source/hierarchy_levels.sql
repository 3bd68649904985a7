-- hierarchy_levels: all hierarchies in one table
-- reads:   every hierarchy
-- returns: one row per attribute, value and level
--   attribute_number  position of the attribute in the plan
--   label          label of the value at the level
--   coarser_label  label of the value at the level above; null at the top
--   label_position position of the label among those with the same coarser label, from 0
-- nulls:   the labels of a missing value are null below the top
with labels (attribute_number, attribute, value, level, label) as (
    select 1, 'the "age"', level_0, 0, level_0
    from sqlanon."hierarchy_of_the ""age""" union all
    select 1, 'the "age"', level_0, 1, level_1
    from sqlanon."hierarchy_of_the ""age""" union all
    select 1, 'the "age"', level_0, 2, level_2
    from sqlanon."hierarchy_of_the ""age""" union all
    select 1, 'the "age"', level_0, 3, level_3
    from sqlanon."hierarchy_of_the ""age""" union all
    select 2, 'born', level_0, 0, level_0
    from sqlanon.hierarchy_of_born union all
    select 2, 'born', level_0, 1, level_1
    from sqlanon.hierarchy_of_born union all
    select 2, 'born', level_0, 2, level_2
    from sqlanon.hierarchy_of_born union all
    select 2, 'born', level_0, 3, level_3
    from sqlanon.hierarchy_of_born union all
    select 2, 'born', level_0, 4, level_4
    from sqlanon.hierarchy_of_born union all
    select 3, 'zip', level_0, 0, level_0
    from sqlanon.hierarchy_of_zip union all
    select 3, 'zip', level_0, 1, level_1
    from sqlanon.hierarchy_of_zip union all
    select 3, 'zip', level_0, 2, level_2
    from sqlanon.hierarchy_of_zip union all
    select 3, 'zip', level_0, 3, level_3
    from sqlanon.hierarchy_of_zip union all
    select 4, 'select', level_0, 0, level_0
    from sqlanon.hierarchy_of_select union all
    select 4, 'select', level_0, 1, level_1
    from sqlanon.hierarchy_of_select union all
    select 4, 'select', level_0, 2, level_2
    from sqlanon.hierarchy_of_select union all
    select 4, 'select', level_0, 3, level_3
    from sqlanon.hierarchy_of_select union all
    select 5, 'longitude', level_0, 0, level_0
    from sqlanon.hierarchy_of_longitude union all
    select 5, 'longitude', level_0, 1, level_1
    from sqlanon.hierarchy_of_longitude union all
    select 5, 'longitude', level_0, 2, level_2
    from sqlanon.hierarchy_of_longitude union all
    select 5, 'longitude', level_0, 3, level_3
    from sqlanon.hierarchy_of_longitude union all
    select 6, 'tôwn', level_0, 0, level_0
    from sqlanon."hierarchy_of_tôwn" union all
    select 6, 'tôwn', level_0, 1, level_1
    from sqlanon."hierarchy_of_tôwn" union all
    select 6, 'tôwn', level_0, 2, level_2
    from sqlanon."hierarchy_of_tôwn" union all
    select 7, 'work', level_0, 0, level_0
    from sqlanon.hierarchy_of_work union all
    select 7, 'work', level_0, 1, level_1
    from sqlanon.hierarchy_of_work union all
    select 8, 'sex', level_0, 0, level_0
    from sqlanon.hierarchy_of_sex union all
    select 8, 'sex', level_0, 1, level_1
    from sqlanon.hierarchy_of_sex union all
    select 9, 'diagnosis', level_0, 0, level_0
    from sqlanon.hierarchy_of_diagnosis union all
    select 9, 'diagnosis', level_0, 1, level_1
    from sqlanon.hierarchy_of_diagnosis union all
    select 9, 'diagnosis', level_0, 2, level_2
    from sqlanon.hierarchy_of_diagnosis
),
nested_labels as (
    select
        *,
        lead(label) over (
            partition by attribute_number, value order by level
        ) as coarser_label
    from labels
)
select
    *,
    dense_rank() over (
        partition by attribute_number, level, coarser_label order by label
    ) - 1 as label_position
from nested_labels
