-- attack_of_minimality_labels_10_case_list: the distinct cases to count; they contain no values
-- reads:   attack_of_minimality_labels_10_cases
-- returns: one row per case: case_number, class_size, profile, missing_ends; and of how many rows
--   it is
select case_number, class_size, profile, missing_ends, count(*) as row_count
from sqlanon.attack_of_minimality_labels_10_cases
group by case_number, class_size, profile, missing_ends
order by case_number, class_size, profile, missing_ends
