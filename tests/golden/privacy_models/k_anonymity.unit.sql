-- k_anonymity: every published row shares its quasi-identifiers with at least 4 other
--   persons (k = 5)
-- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
-- reads:   sqlanon.classes, one row per equivalence class
-- returns: one row per equivalence class
--   class_size  persons in the class   [persons]
--   satisfied   class_size >= 5; never null
-- nulls:   a null quasi-identifier is a value of its own
select "the ""age""", sex, class_size, class_size >= 5 as satisfied
from sqlanon.classes as classes
