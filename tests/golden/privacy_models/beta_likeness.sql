-- beta_likeness, basic: in every class no share of a disease exceeds that in the
--   table by more than 1 times it
-- source:  Cao and Karras 2012, Publishing microdata with a robust privacy guarantee
-- reads:   sqlanon.published_equivalence_classes,
--   sqlanon.published_class_values_of_disease,
--   sqlanon.published_table_values_of_disease of disease
-- returns: one row per equivalence class
--   largest_gain   largest (share in class - share in table) / share in table; 0 if no
--                  share is larger in the class
--   satisfied      every gain <= 1,
--                  within a tolerance of 1e-9; never null
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share
    from sqlanon.published_table_values_of_disease as table_values
),
gains as (
    select
        class_values.history,
        class_values.value_count,
        classes.class_size * table_shares.share as expected_count,
        class_values.value_count / (classes.class_size * table_shares.share)
            - 1 as gain,
        1 as largest_allowed
    from sqlanon.published_class_values_of_disease as class_values
    inner join table_shares
        on table_shares.value = class_values.value
    inner join sqlanon.published_equivalence_classes as classes
        on classes.history is not distinct from class_values.history
),
class_gains as (
    select
        gains.history,
        greatest(max(gains.gain), 0) as largest_gain,
        bool_and(
            gains.gain <= 0.000000001
                or gains.gain <= gains.largest_allowed + 0.000000001
        ) as satisfied
    from gains
    group by gains.history
)
select
    class_gains.history,
    class_gains.largest_gain,
    class_gains.satisfied
from class_gains
