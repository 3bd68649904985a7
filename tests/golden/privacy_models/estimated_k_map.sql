-- estimated_k_map: every class has at least 2 persons, read as 2 persons of the
--   population by estimate (zero-truncated-poisson, sampling fraction 1, error 0.05)
-- source:  El Emam and Dankar 2008, Protecting privacy using k-anonymity (k-map by estimate)
-- reads:   sqlanon.published_equivalence_classes, one row per equivalence class
-- returns: one row per equivalence class
--   class_size  persons in the class   [persons]
--   satisfied   class_size >= 2; never null
-- nulls:   a null quasi-identifier is a value of its own
select history, class_size, class_size >= 2 as satisfied
from sqlanon.published_equivalence_classes as classes
