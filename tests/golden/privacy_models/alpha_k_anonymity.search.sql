-- alpha_k_anonymity: every class has at least 5 rows, and no diagnosis a share above
--   0.5
-- source:  Wong, Li, Fu and Wang 2006, (alpha, k)-anonymity
-- reads:   sqlanon.classes, sqlanon.class_values_of_diagnosis of diagnosis
-- returns: one row per equivalence class
--   largest_share   share of the most frequent value   [0 to 1]
--   class_size      rows in the class   [rows]
--   satisfied       class_size >= 5 and largest_share <= 0.5, compared
--                   exactly; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
-- nulls:   a missing value is a value of its own
with value_shares as (
    select
        classes.node, classes.class_1,
        min(classes.class_size) as class_size,
        max(class_values.value_count) as largest_count,
        sum(
            greatest(class_values.value_count - 0.5 * classes.class_size, 0)
        ) as excess_count
    from sqlanon.class_values_of_diagnosis as class_values
    inner join sqlanon.classes as classes
        on classes.node is not distinct from class_values.node
        and classes.class_1 is not distinct from class_values.class_1
    group by classes.node, classes.class_1
)
select
    classes.node, classes.class_1,
    cast(value_shares.largest_count as double) / value_shares.class_size as largest_share,
    classes.class_size,
    case
        when classes.class_size < 5 then classes.class_size
        when value_shares.largest_count <= 0.5 * value_shares.class_size then 0
        else greatest(1, ceil(value_shares.excess_count))
    end as excess_rows,
    classes.class_size >= 5
        and value_shares.largest_count <= 0.5 * value_shares.class_size as satisfied
from sqlanon.classes as classes
inner join value_shares
    on value_shares.node is not distinct from classes.node
    and value_shares.class_1 is not distinct from classes.class_1
