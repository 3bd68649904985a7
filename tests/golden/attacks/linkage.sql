-- attack_of_linkage_prosecutor_1: a person known to be in the table is found among the rows of a
--   class, with a probability above 0.2
-- source:  El Emam 2013, Guide to the De-Identification of Health Information
-- reads:   sqlanon.published_equivalence_classes, rows that share all published quasi-identifiers
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   all rows if certainty > 0.2, compared exactly; else 0   [rows]
--   certainty      1 / class_size   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a null quasi-identifier is a value of its own
select
    classes.age, classes.zip,
    classes.class_size,
    case when 0.2 * classes.class_size < 1 then classes.class_size else 0 end as rows_at_risk,
    1.0 / cast(classes.class_size as double) as certainty,
    0.2 * classes.class_size < 1 as broken
from sqlanon.published_equivalence_classes as classes
