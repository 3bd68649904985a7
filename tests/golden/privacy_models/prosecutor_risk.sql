-- prosecutor_risk: a person known to be in the table is found with a chance of at
--   most 1, in every row
-- source:  El Emam 2013, Guide to the de-identification of personal health data
-- reads:   sqlanon.published_equivalence_classes, one row per equivalence class
-- returns: one row per equivalence class
--   highest_risk  1 / class_size   [0 to 1]
--   satisfied     highest_risk <= 1, compared exactly; never null
-- nulls:   a null quasi-identifier is a value of its own
select
    classes.history,
    1.0 / cast(classes.class_size as double) as highest_risk,
    1 * classes.class_size >= 1 as satisfied
from sqlanon.published_equivalence_classes as classes
