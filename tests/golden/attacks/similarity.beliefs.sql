-- attack_of_similarity_8: all rows of a class have the same label, 1 level(s) above the values
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness, section 3
-- reads:   sqlanon.attack_of_similarity_8_beliefs, p(t, s) of each disease,
--   sqlanon.table_values_of_disease and sqlanon.value_levels_of_disease, its label at each level,
--   sqlanon.attack_of_similarity_8_classes and sqlanon.attack_of_similarity_8_class_values
-- returns: one row per class: rows of a bucket that agree in the column group of the attribute
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of labels of level 1 with a probability of 1 or more, within a tolerance of
--                  1e-9, for somebody who may be in the class   [rows]
--   certainty      highest probability of a label   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value has the label that the hierarchy gives it
with class_labels as (
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
disclosed_values as (
    select
        class_labels.*,
        least(class_labels.share, 1) as certainty,
        class_labels.share >= 1 - 0.000000001 as is_disclosed
    from class_labels
),
value_disclosures as (
    -- at risk is a value that is disclosed to somebody who may be in the class
    select
        disclosed_values.quasi_identifier_1, disclosed_values.companion_1,
        disclosed_values.value,
        max(disclosed_values.certainty) as certainty,
        bool_or(disclosed_values.is_disclosed) as is_disclosed
    from disclosed_values
    group by
        disclosed_values.quasi_identifier_1, disclosed_values.companion_1, disclosed_values.value
),
counted_values as (
    select
        classes.quasi_identifier_1, classes.companion_1,
        classes.class_size,
        class_values.value_count,
        value_disclosures.certainty,
        value_disclosures.is_disclosed and class_values.value_count is not null as is_disclosed
    from sqlanon.attack_of_similarity_8_classes as classes
    inner join value_disclosures
        on value_disclosures.quasi_identifier_1 is not distinct from classes.quasi_identifier_1
        and value_disclosures.companion_1 is not distinct from classes.companion_1
    left join sqlanon.attack_of_similarity_8_class_values as class_values
        on class_values.quasi_identifier_1 is not distinct from value_disclosures.quasi_identifier_1
        and class_values.companion_1 is not distinct from value_disclosures.companion_1
        and class_values.value is not distinct from value_disclosures.value
)
select
    counted_values.quasi_identifier_1, counted_values.companion_1,
    counted_values.class_size,
    -- a person with several values is counted once
    least(
        coalesce(sum(counted_values.value_count) filter (where counted_values.is_disclosed), 0),
        counted_values.class_size
    ) as rows_at_risk,
    max(counted_values.certainty) as certainty,
    bool_or(counted_values.is_disclosed) as broken
from counted_values
group by counted_values.quasi_identifier_1, counted_values.companion_1, counted_values.class_size
