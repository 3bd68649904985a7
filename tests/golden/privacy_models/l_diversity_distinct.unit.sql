-- l_diversity_distinct: every class holds at least 3 different values of diagnosis,
--   and at least 2 persons without each of them
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class, and sqlanon.classes
-- returns: one row per equivalence class
--   diversity   different values, but at most 1 more than the persons without any one of
--               them   [values]
--   satisfied   diversity >= 3; never null
-- nulls:   a missing value is a value of its own
select
    class_values."the ""age""", class_values.sex,
    least(
        count(*),
        min(classes.class_size - class_values.value_count) + 1
    ) as diversity,
    least(
        count(*),
        min(classes.class_size - class_values.value_count) + 1
    ) >= 3 as satisfied
from sqlanon.class_values_of_diagnosis as class_values
inner join sqlanon.classes as classes
    on classes."the ""age""" is not distinct from class_values."the ""age"""
    and classes.sex is not distinct from class_values.sex
group by class_values."the ""age""", class_values.sex
