-- joint_published_value_classes_1: the published classes, divided by the other sensitive values
-- reads:   published_combinations
-- returns: one row per class and other sensitive values
--   class_size   rows
select "the ""age""", sex, text_2 as value_2, cast(sum(row_count) as bigint) as class_size
from sqlanon.published_combinations
group by "the ""age""", sex, text_2
