-- published_joint_classes_of_diagnosis: the published classes, divided by the other sensitive
--   values
-- reads:   published_combinations
-- returns: one row per class and other sensitive values
--   class_size   rows
select
    "the ""age""", sex, text_of_salary as value_of_salary,
    cast(sum(row_count) as bigint) as class_size
from sqlanon.published_combinations
group by "the ""age""", sex, text_of_salary
