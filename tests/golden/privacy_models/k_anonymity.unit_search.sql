-- k_anonymity: every published row shares its quasi-identifiers with at least 4 other
--   persons (k = 5)
-- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
-- reads:   sqlanon.classes, one row per equivalence class
-- returns: one row per equivalence class
--   class_size  persons in the class   [persons]
--   satisfied   class_size >= 5; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
-- nulls:   a null quasi-identifier is a value of its own
select
    classes.node, classes.class_1,
    classes.class_size,
    case
        when classes.class_size >= 5 then 0
        else classes.class_size
    end as excess_rows,
    classes.class_size >= 5 as satisfied
from sqlanon.classes as classes
