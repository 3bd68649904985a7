-- k_anonymity: every published row shares its quasi-identifiers with at least 1 other
--   (k = 2)
-- source:  Sweeney 2002, k-anonymity: a model for protecting privacy
-- reads:   classes, one row per equivalence class
-- returns: one row per equivalence class
--   class_size  rows in the class   [rows]
--   satisfied   class_size >= 2; never null
-- nulls:   a null quasi-identifier is a value of its own
select class, class_size, class_size >= 2 as satisfied
from classes
