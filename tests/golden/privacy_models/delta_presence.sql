-- delta_presence: every person of the population is in the table with a chance from 0
--   to 0.8
-- source:  Nergiz, Atzori and Clifton 2007, Hiding the presence of individuals
-- reads:   classes, one row per equivalence class, population_size included
-- returns: one row per equivalence class
--   presence    published rows / rows of the population in the class   [0 to 1]
--   satisfied   0 <= presence <= 0.8, compared exactly; never null
-- nulls:   a null quasi-identifier is a value of its own
select
    classes.class,
    case
        when classes.population_size > 0
            then cast(classes.class_size as double) / classes.population_size
        else cast('infinity' as double)
    end as presence,
    classes.class_size >= 0 * classes.population_size
        and classes.class_size <= 0.8 * classes.population_size as satisfied
from classes
