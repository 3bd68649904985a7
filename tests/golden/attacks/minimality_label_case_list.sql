-- attack_of_minimality_labels_10_case_list: the different cases to count
-- reads:   attack_of_minimality_labels_10_cases
-- returns: one row per case: its number, rows of a class, profile, and how many classes it is of
select case_number, class_size, profile, count(*) as class_count
from sqlanon.attack_of_minimality_labels_10_cases
group by case_number, class_size, profile
order by case_number
