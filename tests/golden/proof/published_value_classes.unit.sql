-- published_value_classes_1: the classes of published_class_values_1
-- reads:   published_class_values_1
-- returns: one row per class
--   class_size   sum of its value counts
select "the ""age""", sex, cast(sum(value_count) as bigint) as class_size
from sqlanon.published_class_values_1
group by "the ""age""", sex
