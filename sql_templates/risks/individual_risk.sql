{#- inputs: risks str -#}
-- individual_risk: the risk of all rows together
-- reads:   {{ risks }}
-- returns: one row
--   highest_risk   of a row   [0 to 1]
--   expected_rows  rows whose persons are expected to be found   [rows]
select
    max(individual_risk) as highest_risk,
    sum(class_size * individual_risk) as expected_rows
from sqlanon.{{ risks }}
