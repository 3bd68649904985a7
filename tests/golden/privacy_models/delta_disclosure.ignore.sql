-- delta_disclosure: in every class the shares of the values that occur of diagnosis
--   differ from those in the table by less than 1.5 bits
-- source:  Brickell and Shmatikov 2008, The cost of privacy
-- reads:   sqlanon.classes, sqlanon.class_values_of_diagnosis,
--   sqlanon.table_values_of_diagnosis of diagnosis
-- returns: one row per equivalence class
--   largest_change_bits   largest |log2(share in class / share in table)|   [bits]
--                         values that the class lacks are ignored
--   satisfied             largest_change_bits < 1.5, within a tolerance of 1e-9;
--                         never null
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share,
        count(*) over () as value_total
    from sqlanon.table_values_of_diagnosis as table_values
),
class_changes as (
    select
        classes."the ""age""", classes.sex,
        classes.class_size,
        max(
            abs(
                log(2, class_values.value_count / (classes.class_size * table_shares.share))
            )
        ) as largest_change_bits,
        count(*) = min(table_shares.value_total) as is_complete
    from sqlanon.class_values_of_diagnosis as class_values
    inner join table_shares
        on table_shares.value = class_values.value
    inner join sqlanon.classes as classes
        on classes."the ""age""" is not distinct from class_values."the ""age"""
        and classes.sex is not distinct from class_values.sex
    group by classes."the ""age""", classes.sex, classes.class_size
)
select
    class_changes."the ""age""", class_changes.sex,
    class_changes.largest_change_bits,
    class_changes.largest_change_bits < 1.5 - 0.000000001 as satisfied
from class_changes
