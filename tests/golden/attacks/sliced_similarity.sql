-- attack_of_similarity_8: all rows of a class have the same label, 1 level(s) above the values
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness, section 3
-- reads:   sqlanon.attack_of_similarity_8_beliefs, p(t, s) of each disease,
--   sqlanon.table_values_of_disease and sqlanon.value_levels_of_disease, its label at each level,
--   sqlanon.attack_of_similarity_8_classes and sqlanon.attack_of_similarity_8_class_values
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of labels of level 1 with a probability of 1 or more, within a
--                  tolerance of 1e-9, for somebody who may be in the class   [rows]
--   certainty      highest probability of a label   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value has the label that the hierarchy gives it
with label_shares as (
    select
        beliefs.quasi_identifier_1, beliefs.companion_1,
        beliefs.value,
        sum(beliefs.share) over (
            partition by
                beliefs.quasi_identifier_1, beliefs.companion_1, beliefs.belief, value_levels.label
        ) as share
    from sqlanon.attack_of_similarity_8_beliefs as beliefs
    inner join sqlanon.table_values_of_disease as table_values
        on table_values.text is not distinct from beliefs.value
    inner join sqlanon.value_levels_of_disease as value_levels
        on value_levels.value = table_values.value
        and value_levels.level = 1
),
told_values as (
    select
        label_shares.quasi_identifier_1, label_shares.companion_1,
        label_shares.value,
        least(label_shares.share, 1) as certainty,
        label_shares.share >= 1 - 0.000000001 as is_told
    from label_shares
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
from sqlanon.attack_of_similarity_8_classes as classes
inner join class_told_values
    on class_told_values.quasi_identifier_1 is not distinct from classes.quasi_identifier_1
    and class_told_values.companion_1 is not distinct from classes.companion_1
left join sqlanon.attack_of_similarity_8_class_values as class_values
    on class_values.quasi_identifier_1 is not distinct from class_told_values.quasi_identifier_1
    and class_values.companion_1 is not distinct from class_told_values.companion_1
    and class_values.value is not distinct from class_told_values.value
group by classes.quasi_identifier_1, classes.companion_1, classes.class_size
