-- attack_of_linkage_prosecutor_1_riskiest: at most 10 classes with rows at risk, the highest
--   certainty first
-- reads:   attack_of_linkage_prosecutor_1
-- returns: one row per class: its size and risk; no value of a row
select
    attacked.class_size,
    attacked.rows_at_risk,
    attacked.certainty
from sqlanon.attack_of_linkage_prosecutor_1 as attacked
where attacked.broken
order by
    attacked.certainty desc, attacked.rows_at_risk desc, attacked.class_size, attacked.age,
    attacked.zip
limit 10
