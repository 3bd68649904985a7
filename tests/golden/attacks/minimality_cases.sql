-- attack_of_minimality_algorithm_11_cases: the distinct cases to count; they contain no values
-- reads:   attack_of_minimality_algorithm_11_profiles
-- returns: one row per case: the sizes of the groups and the rows with the value
select profile, value_count
from sqlanon.attack_of_minimality_algorithm_11_profiles
group by profile, value_count
order by profile, value_count
