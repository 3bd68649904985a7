-- attack_of_homogeneity_4_classes: rows of a bucket that agree in the column group of the sensitive
--   attribute
-- reads:   sqlanon.attack_of_homogeneity_4_class_values
-- returns: one row per bucket and combination of the other values of this column group
--   class_size   [rows]
-- nulls:   a missing value is a value of its own
select
    class_values.quasi_identifier_1, class_values.companion_1,
    cast(sum(class_values.value_count) as bigint) as class_size
from sqlanon.attack_of_homogeneity_4_class_values as class_values
group by class_values.quasi_identifier_1, class_values.companion_1
