-- k_e_anonymity: every class holds at least 3 different values of diagnosis, at least
--   100 apart from the least to the greatest
-- source:  Zhang, Koudas, Srivastava and Yu 2007, Aggregate query answering
-- reads:   sqlanon.class_values_of_diagnosis, sqlanon.table_values_of_diagnosis of
--   diagnosis
-- returns: one row per equivalence class
--   value_range   largest minus smallest number in the class
--   number_count  different numbers in the class
--   satisfied     number_count >= 3 and value_range >= 100, to a
--                 tolerance of 1e-9; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 all rows of a failing class
-- nulls:   a missing value is not a number and counts neither as a value nor for the range
with class_ranges as (
    select
        class_values.node, class_values.class_1,
        cast(sum(class_values.value_count) as bigint) as value_total,
        count(distinct table_values.number) as number_count,
        coalesce(max(table_values.number) - min(table_values.number), 0) as value_range
    from sqlanon.class_values_of_diagnosis as class_values
    inner join sqlanon.table_values_of_diagnosis as table_values
        on table_values.value = class_values.value
    group by class_values.node, class_values.class_1
)
select
    class_ranges.node, class_ranges.class_1,
    class_ranges.value_range,
    class_ranges.number_count,
    case
        when class_ranges.number_count >= 3
            and class_ranges.value_range >= 100 - 0.000000001 then 0
        else class_ranges.value_total
    end as excess_rows,
    class_ranges.number_count >= 3
        and class_ranges.value_range >= 100 - 0.000000001 as satisfied
from class_ranges
