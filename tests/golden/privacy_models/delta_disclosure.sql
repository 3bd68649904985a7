-- delta_disclosure: in every class the shares of disease differ from those in the
--   table by less than 1 bits
-- source:  Brickell and Shmatikov 2008, The cost of privacy
-- reads:   sqlanon.published_equivalence_classes,
--   sqlanon.published_class_values_of_disease,
--   sqlanon.published_table_values_of_disease of disease
-- returns: one row per equivalence class
--   largest_change_bits   largest |log2(share in class / share in table)|   [bits]
--                         infinite if the class lacks a value of the table
--   satisfied             largest_change_bits < 1, within a tolerance of 1e-9;
--                         never null
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share,
        count(*) over () as value_total
    from sqlanon.published_table_values_of_disease as table_values
),
class_changes as (
    select
        class_values.history,
        classes.class_size,
        max(
            abs(
                log(2, class_values.value_count / (classes.class_size * table_shares.share))
            )
        ) as largest_change_bits,
        count(*) = min(table_shares.value_total) as is_complete
    from sqlanon.published_class_values_of_disease as class_values
    inner join table_shares
        on table_shares.value = class_values.value
    inner join sqlanon.published_equivalence_classes as classes
        on classes.history is not distinct from class_values.history
    group by class_values.history, classes.class_size
)
select
    class_changes.history,
    case when class_changes.is_complete then class_changes.largest_change_bits
        else cast('infinity' as double) end as largest_change_bits,
    class_changes.is_complete
        and class_changes.largest_change_bits < 1 - 0.000000001 as satisfied
from class_changes
