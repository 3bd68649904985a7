-- k_e_anonymity: every class holds at least 3 different values of diagnosis, at least
--   100 apart from the least to the greatest
-- source:  Zhang, Koudas, Srivastava and Yu 2007, Aggregate query answering
-- reads:   sqlanon.classes, sqlanon.class_values_of_diagnosis,
--   sqlanon.table_values_of_diagnosis of diagnosis
-- returns: one row per equivalence class
--   value_range   largest minus smallest number in the class
--   number_count  different numbers in the class
--                 both 0 if a person has several values in the class
--   satisfied     number_count >= 3 and value_range >= 100, to a
--                 tolerance of 1e-9; never null
-- nulls:   a missing value is not a number and counts neither as a value nor for the range
with class_ranges as (
    select
        class_values."the ""age""", class_values.sex,
        cast(sum(class_values.value_count) as bigint) as value_total,
        count(distinct table_values.number) as number_count,
        coalesce(max(table_values.number) - min(table_values.number), 0) as value_range,
        sum(class_values.value_count) > min(classes.class_size) as has_several
    from sqlanon.class_values_of_diagnosis as class_values
    inner join sqlanon.table_values_of_diagnosis as table_values
        on table_values.value = class_values.value
    inner join sqlanon.classes as classes
        on classes."the ""age""" is not distinct from class_values."the ""age"""
        and classes.sex is not distinct from class_values.sex
    group by class_values."the ""age""", class_values.sex
)
select
    class_ranges."the ""age""", class_ranges.sex,
    case when class_ranges.has_several then 0 else class_ranges.value_range end as value_range,
    case when class_ranges.has_several then 0 else class_ranges.number_count end as number_count,
    not class_ranges.has_several and class_ranges.number_count >= 3
        and class_ranges.value_range >= 100 - 0.000000001 as satisfied
from class_ranges
