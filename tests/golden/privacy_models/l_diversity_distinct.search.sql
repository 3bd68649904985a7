-- l_diversity_distinct: every class holds at least 3 different values of diagnosis
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class
-- returns: one row per equivalence class
--   diversity   different values   [values]
--   satisfied   diversity >= 3; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 all rows of a failing class
-- nulls:   a missing value is a value of its own
select
    class_values.node, class_values.class_1,
    count(*) as diversity,
    case
        when count(*) >= 3 then 0
        else cast(sum(class_values.value_count) as bigint)
    end as excess_rows,
    count(*) >= 3 as satisfied
from sqlanon.class_values_of_diagnosis as class_values
group by class_values.node, class_values.class_1
