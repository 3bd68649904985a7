-- attack_of_homogeneity_4: all rows of a class have the same value, so everyone in the class has
--   it
-- source:  Machanavajjhala et al. 2006, l-diversity, section 1
-- reads:   sqlanon.attack_of_homogeneity_4_beliefs, p(t, s) of each disease,
--   sqlanon.attack_of_homogeneity_4_classes and sqlanon.attack_of_homogeneity_4_class_values
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values with a probability of 1 or more, within a tolerance of
--                  1e-9, for somebody who may be in the class   [rows]
--   certainty      highest probability of a value   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with told_values as (
    select
        beliefs.quasi_identifier_1, beliefs.companion_1,
        beliefs.value,
        beliefs.share as certainty,
        beliefs.share >= 1 - 0.000000001 as is_told
    from sqlanon.attack_of_homogeneity_4_beliefs as beliefs
),
class_told_values as (
    -- at risk is a value that is told to somebody who may be in the class
    select
        told_values.quasi_identifier_1, told_values.companion_1,
        told_values.value,
        max(told_values.certainty) as certainty,
        bool_or(told_values.is_told) as is_told
    from told_values
    group by told_values.quasi_identifier_1, told_values.companion_1, told_values.value
)
select
    classes.quasi_identifier_1, classes.companion_1,
    classes.class_size,
    coalesce(
        sum(class_values.value_count) filter (where class_told_values.is_told), 0
    ) as rows_at_risk,
    max(class_told_values.certainty) as certainty,
    coalesce(
        bool_or(class_told_values.is_told and class_values.value_count is not null),
        false
    ) as broken
from sqlanon.attack_of_homogeneity_4_classes as classes
inner join class_told_values
    on class_told_values.quasi_identifier_1 is not distinct from classes.quasi_identifier_1
    and class_told_values.companion_1 is not distinct from classes.companion_1
left join sqlanon.attack_of_homogeneity_4_class_values as class_values
    on class_values.quasi_identifier_1 is not distinct from class_told_values.quasi_identifier_1
    and class_values.companion_1 is not distinct from class_told_values.companion_1
    and class_values.value is not distinct from class_told_values.value
group by classes.quasi_identifier_1, classes.companion_1, classes.class_size
