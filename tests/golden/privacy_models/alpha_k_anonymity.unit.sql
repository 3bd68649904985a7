-- alpha_k_anonymity: every class has at least 5 persons, and no diagnosis a share
--   above 0.5
-- source:  Wong, Li, Fu and Wang 2006, (alpha, k)-anonymity
-- reads:   sqlanon.classes, sqlanon.class_values_of_diagnosis of diagnosis
-- returns: one row per equivalence class
--   largest_share   share of the most frequent value   [0 to 1]
--   class_size      persons in the class   [persons]
--   satisfied       class_size >= 5 and largest_share <= 0.5, compared
--                   exactly; never null
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
    classes."the ""age""", classes.sex,
    cast(value_shares.largest_count as double) / value_shares.class_size as largest_share,
    classes.class_size,
    classes.class_size >= 5
        and value_shares.largest_count <= 0.5 * value_shares.class_size as satisfied
from sqlanon.classes as classes
inner join value_shares
    on value_shares."the ""age""" is not distinct from classes."the ""age"""
    and value_shares.sex is not distinct from classes.sex
