-- joint_published_value_classes_1: the classes of published_joint_values_1
-- reads:   published_joint_values_1
-- returns: one row per class
--   class_size   sum of its value counts
select
    "the ""age""",
    sex,
    value_2,
    cast(sum(value_count) as bigint) as class_size
from sqlanon.published_joint_values_1
group by
    "the ""age""",
    sex,
    value_2
