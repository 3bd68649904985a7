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
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 the rows of each value above its largest allowed share
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        table_values.node,
        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share
    from sqlanon.table_values_of_diagnosis as table_values
),
gains as (
    select
        classes.node, classes.class_1,
        class_values.value_count,
        classes.class_size * table_shares.share as expected_count,
        class_values.value_count / (classes.class_size * table_shares.share)
            - 1 as gain,
        2 as largest_allowed
    from sqlanon.class_values_of_diagnosis as class_values
    inner join table_shares
        on table_shares.value = class_values.value
        and table_shares.node = class_values.node
    inner join sqlanon.classes as classes
        on classes.node is not distinct from class_values.node
        and classes.class_1 is not distinct from class_values.class_1
),
class_gains as (
    select
        gains.node, gains.class_1,
        greatest(max(gains.gain), 0) as largest_gain,
        sum(
            greatest(
                gains.value_count
                    - gains.expected_count * (1.000000001 + gains.largest_allowed),
                0
            )
        ) as excess_count,
        bool_and(
            gains.gain <= 0.000000001
                or gains.gain <= gains.largest_allowed + 0.000000001
        ) as satisfied
    from gains
    group by gains.node, gains.class_1
)
select
    class_gains.node, class_gains.class_1,
    class_gains.largest_gain,
    case
        when class_gains.satisfied then 0
        else greatest(1, ceil(class_gains.excess_count - 0.000001))
    end as excess_rows,
    class_gains.satisfied
from class_gains
