-- journalist_risk: the population identifies a row's person with a chance of at most
--   0.2, in every row
-- source:  El Emam 2013, Guide to the de-identification of personal health data
-- reads:   sqlanon.classes, one row per equivalence class, population_size included
-- returns: one row per equivalence class
--   highest_risk  1 / population_size   [0 to 1]
--   satisfied     highest_risk <= 0.2, compared exactly; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 all rows of a failing class
-- nulls:   a null quasi-identifier is a value of its own
select
    classes.node, classes.class_1,
    case
        when classes.population_size > 0 then 1.0 / cast(classes.population_size as double)
        else cast('infinity' as double)
    end as highest_risk,
    case
        when 0.2 * classes.population_size >= 1 then 0
        else classes.class_size
    end as excess_rows,
    0.2 * classes.population_size >= 1 as satisfied
from sqlanon.classes as classes
