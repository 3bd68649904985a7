-- l_diversity_frequency: in every class no diagnosis has more than one in 3 rows
-- source:  Machanavajjhala et al. 2007, l-diversity, ACM TKDD 1(1)
-- reads:   sqlanon.class_values_of_diagnosis, how often each value of diagnosis
--   occurs in each class, sqlanon.classes
-- returns: one row per equivalence class
--   diversity   rows of the class / rows of its most frequent value   [ratio]
--   satisfied   3 * rows of the most frequent value <= rows of the
--               class, compared exactly; never null
-- nulls:   a missing value is a value of its own
with value_shares as (
    select
        classes."the ""age""", classes.sex,
        min(classes.class_size) as class_size,
        max(class_values.value_count) as largest_count
    from sqlanon.class_values_of_diagnosis as class_values
    inner join sqlanon.classes as classes
        on classes."the ""age""" is not distinct from class_values."the ""age"""
        and classes.sex is not distinct from class_values.sex
    group by classes."the ""age""", classes.sex
)
select
    value_shares."the ""age""", value_shares.sex,
    cast(value_shares.class_size as double) / value_shares.largest_count as diversity,
    3 * value_shares.largest_count <= value_shares.class_size as satisfied
from value_shares
