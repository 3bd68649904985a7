{#- inputs: name str, cases str -#}
-- {{ name }}: the different cases to count
-- reads:   {{ cases }}
-- returns: one row per case: its number, rows of a class, profile, and how many classes it is of
select case_number, class_size, profile, count(*) as class_count
from sqlanon.{{ cases }}
group by case_number, class_size, profile
order by case_number
