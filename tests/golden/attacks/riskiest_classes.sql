-- attack_of_linkage_prosecutor_1_riskiest: classes with rows at risk, where the attacker is
--   surest first, 10 at most
-- reads:   attack_of_linkage_prosecutor_1
-- returns: one row per class: its size, what is at risk; no value of a row
select
    attacked.class_size,
    attacked.rows_at_risk,
    attacked.certainty
from sqlanon.attack_of_linkage_prosecutor_1 as attacked
where attacked.broken
order by
    attacked.certainty desc,
    attacked.rows_at_risk desc,
    attacked.class_size,
    attacked.age,
    attacked.zip
limit 10
