-- attack_of_linkage_prosecutor_1_summary: what the attack comes to
-- reads:   attack_of_linkage_prosecutor_1
-- returns: one row
--   classes, classes_at_risk   how many were attacked, and how many have rows at risk
--   row_count, rows_at_risk    the same of rows   [rows]
--   certainty                  how sure the attacker is at worst   [0 to 1]
select
    count(*) as classes,
    count(*) filter (where attacked.broken) as classes_at_risk,
    cast(sum(attacked.class_size) as bigint) as row_count,
    cast(sum(attacked.rows_at_risk) as bigint) as rows_at_risk,
    cast(max(attacked.certainty) as double) as certainty
from sqlanon.attack_of_linkage_prosecutor_1 as attacked
