-- k_e_anonymity: every class holds at least 2 different values of cost, at least 1
--   apart from the least to the greatest
-- source:  Zhang, Koudas, Srivastava and Yu 2007, Aggregate query answering
-- reads:   sqlanon.published_class_values_of_cost,
--   sqlanon.published_table_values_of_cost of cost
-- returns: one row per equivalence class
--   value_range   largest minus smallest number in the class
--   number_count  different numbers in the class
--   satisfied     number_count >= 2 and value_range >= 1, to a
--                 tolerance of 1e-9; never null
-- nulls:   a missing value is not a number and counts neither as a value nor for the range
with class_ranges as (
    select
        class_values.born,
        cast(sum(class_values.value_count) as bigint) as value_total,
        count(distinct table_values.number) as number_count,
        coalesce(max(table_values.number) - min(table_values.number), 0) as value_range
    from sqlanon.published_class_values_of_cost as class_values
    inner join sqlanon.published_table_values_of_cost as table_values
        on table_values.value = class_values.value
    group by class_values.born
)
select
    class_ranges.born,
    class_ranges.value_range,
    class_ranges.number_count,
    class_ranges.number_count >= 2
        and class_ranges.value_range >= 1 - 0.000000001 as satisfied
from class_ranges
