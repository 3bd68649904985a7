-- attack_of_linkage_marketer_3: every row is matched with a person of the population, with a
--   probability above 0.2
-- source:  El Emam 2013, Guide to the De-Identification of Health Information
-- reads:   sqlanon.published_equivalence_classes, rows that share all published quasi-identifiers
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   all rows, in every class, if certainty > 0.2; else 0   [rows]
--   certainty      expected share of rows that are matched correctly: the mean of
--                  1 / population_size over all rows, the same in every class   [0 to 1]
--   broken         certainty > 0.2, within a tolerance of 1e-9; never null
-- nulls:   a null quasi-identifier is a value of its own
with matched as (
    select
        sum(cast(classes.class_size as double) / classes.population_size)
            / sum(classes.class_size) as share
    from sqlanon.published_equivalence_classes as classes
)
select
    classes.age, classes.zip,
    classes.class_size,
    case
        when matched.share > 0.2 + 0.000000001 then classes.class_size
        else 0
    end as rows_at_risk,
    matched.share as certainty,
    matched.share > 0.2 + 0.000000001 as broken
from sqlanon.published_equivalence_classes as classes
cross join matched
