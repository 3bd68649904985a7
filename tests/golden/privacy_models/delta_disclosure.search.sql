-- delta_disclosure: in every class the shares of diagnosis differ from those in the
--   table by less than 1.5 bits
-- source:  Brickell and Shmatikov 2008, The cost of privacy
-- reads:   sqlanon.classes, sqlanon.class_values_of_diagnosis,
--   sqlanon.table_values_of_diagnosis of diagnosis
-- returns: one row per equivalence class
--   largest_change_bits   largest |log2(share in class / share in table)|   [bits]
--                         infinite if the class lacks a value of the table
--   satisfied             largest_change_bits < 1.5, within a tolerance of 1e-9;
--                         never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 all rows if the class lacks a value of the table; otherwise the rows of
--                 each value above its largest allowed share
-- nulls:   a missing value is a value of its own
with table_shares as (
    select
        table_values.node,
        table_values.value,
        table_values.row_count / cast(table_values.table_size as double) as share,
        count(*) over (partition by table_values.node) as value_total
    from sqlanon.table_values_of_diagnosis as table_values
),
class_changes as (
    select
        classes.node, classes.class_1,
        classes.class_size,
        max(
            abs(
                log(2, class_values.value_count / (classes.class_size * table_shares.share))
            )
        ) as largest_change_bits,
        sum(
            greatest(
                class_values.value_count
                    - classes.class_size * table_shares.share * pow(2, 1.5),
                0
            )
        ) as excess_count,
        count(*) = min(table_shares.value_total) as is_complete
    from sqlanon.class_values_of_diagnosis as class_values
    inner join table_shares
        on table_shares.value = class_values.value
        and table_shares.node = class_values.node
    inner join sqlanon.classes as classes
        on classes.node is not distinct from class_values.node
        and classes.class_1 is not distinct from class_values.class_1
    group by classes.node, classes.class_1, classes.class_size
)
select
    class_changes.node, class_changes.class_1,
    case when class_changes.is_complete then class_changes.largest_change_bits
        else cast('infinity' as double) end as largest_change_bits,
    case
        when not class_changes.is_complete then class_changes.class_size
        when class_changes.largest_change_bits < 1.5 - 0.000000001 then 0
        else greatest(1, ceil(class_changes.excess_count - 0.000001))
    end as excess_rows,
    class_changes.is_complete
        and class_changes.largest_change_bits < 1.5 - 0.000000001 as satisfied
from class_changes
