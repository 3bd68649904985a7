-- beta_likeness, basic: in every class no share of a diagnosis exceeds that in the
--   table by more than 2 times it
-- source:  Cao and Karras 2012, Publishing microdata with a robust privacy guarantee
-- reads:   sqlanon.classes, sqlanon.class_values_of_diagnosis,
--   sqlanon.table_values_of_diagnosis of diagnosis
-- returns: one row per equivalence class
--   largest_gain   largest (share in class - share in table) / share in table; 0 if no
--                  share is larger in the class
--   satisfied      every gain <= 2,
--                  within a tolerance of 1e-9; never null
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share
    from sqlanon.table_values_of_diagnosis as table_values
),
gains as (
    select
        classes."the ""age""", classes.sex,
        class_values.value_count,
        classes.class_size * table_shares.share as expected_count,
        class_values.value_count / (classes.class_size * table_shares.share)
            - 1 as gain,
        2 as largest_allowed
    from sqlanon.class_values_of_diagnosis as class_values
    inner join table_shares
        on table_shares.value = class_values.value
    inner join sqlanon.classes as classes
        on classes."the ""age""" is not distinct from class_values."the ""age"""
        and classes.sex is not distinct from class_values.sex
),
class_gains as (
    select
        gains."the ""age""", gains.sex,
        greatest(max(gains.gain), 0) as largest_gain,
        bool_and(
            gains.gain <= 0.000000001
                or gains.gain <= gains.largest_allowed + 0.000000001
        ) as satisfied
    from gains
    group by gains."the ""age""", gains.sex
)
select
    class_gains."the ""age""", class_gains.sex,
    class_gains.largest_gain,
    class_gains.satisfied
from class_gains
