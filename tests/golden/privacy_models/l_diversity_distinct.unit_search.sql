-- l_diversity_distinct: every class holds at least 3 different values of diagnosis,
--   and at least 2 persons without each of them
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class, and sqlanon.classes
-- returns: one row per equivalence class
--   diversity   different values, but at most 1 more than the persons without any one of
--               them   [values]
--   satisfied   diversity >= 3; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 all rows of a class with too few values
-- nulls:   a missing value is a value of its own
select
    class_values.node, class_values.class_1,
    least(
        count(*),
        min(classes.class_size - class_values.value_count) + 1
    ) as diversity,
    case
        when count(*) >= 3 then 0
        else cast(sum(class_values.value_count) as bigint)
    end as excess_rows,
    least(
        count(*),
        min(classes.class_size - class_values.value_count) + 1
    ) >= 3 as satisfied
from sqlanon.class_values_of_diagnosis as class_values
inner join sqlanon.classes as classes
    on classes.node is not distinct from class_values.node
    and classes.class_1 is not distinct from class_values.class_1
group by class_values.node, class_values.class_1
