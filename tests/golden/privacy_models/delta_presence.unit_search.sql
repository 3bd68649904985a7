-- delta_presence: every person of the population is in the table with a chance from
--   0.1 to 0.5
-- source:  Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals
-- reads:   sqlanon.classes, one row per equivalence class, population_size included
-- returns: one row per equivalence class
--   presence    persons / rows of the population in the class   [0 to 1]
--   satisfied   0.1 <= presence <= 0.5, compared exactly; never null
--   excess_rows   lower bound on the rows that no finer classes can keep   [rows]
--                 the rows above the largest allowed share of the class's population
-- nulls:   a null quasi-identifier is a value of its own
select
    classes.node, classes.class_1,
    case
        when classes.population_size > 0
            then cast(classes.class_size as double) / classes.population_size
        else cast('infinity' as double)
    end as presence,
    case
        when classes.class_size > 0.5 * classes.population_size
            then greatest(1, ceil(classes.class_size - 0.5 * classes.population_size))
        when classes.class_size < 0.1 * classes.population_size then 1
        else 0
    end as excess_rows,
    classes.class_size >= 0.1 * classes.population_size
        and classes.class_size <= 0.5 * classes.population_size as satisfied
from sqlanon.classes as classes
