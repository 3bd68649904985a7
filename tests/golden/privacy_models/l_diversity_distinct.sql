-- l_diversity_distinct: every class holds at least 3 different values of diagnosis
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class
-- returns: one row per equivalence class
--   diversity   different values   [values]
--   satisfied   diversity >= 3; never null
-- nulls:   a missing value is a value of its own
select "the ""age""", sex, count(*) as diversity, count(*) >= 3 as satisfied
from sqlanon.class_values_of_diagnosis as class_values
group by "the ""age""", sex
