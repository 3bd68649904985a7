-- attack_of_minimality_algorithm_11_cases: the different cases to count; no value is told
-- reads:   attack_of_minimality_algorithm_11_profiles
-- returns: one row per case: sizes of the groups, rows with the value
select profile, value_count
from sqlanon.attack_of_minimality_algorithm_11_profiles
group by profile, value_count
order by profile, value_count
