-- l_diversity_frequency: in every class no diagnosis has more than one in 3 rows
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class, sqlanon.classes
-- returns: one row per equivalence class
--   diversity   rows of the class / rows of its most frequent value   [ratio]
--   satisfied   3 * rows of the most frequent value <= rows of the
--               class, compared exactly; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
-- nulls:   a missing value is a value of its own
with value_shares as (
    select
        classes.node, classes.class_1,
        min(classes.class_size) as class_size,
        max(class_values.value_count) as largest_count,
        sum(
            greatest(3 * class_values.value_count - classes.class_size, 0)
        ) as excess_count
    from sqlanon.class_values_of_diagnosis as class_values
    inner join sqlanon.classes as classes
        on classes.node is not distinct from class_values.node
        and classes.class_1 is not distinct from class_values.class_1
    group by classes.node, classes.class_1
)
select
    value_shares.node, value_shares.class_1,
    cast(value_shares.class_size as double) / value_shares.largest_count as diversity,
    case
        when 3 * value_shares.largest_count <= value_shares.class_size then 0
        else greatest(1, ceil(value_shares.excess_count / 3))
    end as excess_rows,
    3 * value_shares.largest_count <= value_shares.class_size as satisfied
from value_shares
