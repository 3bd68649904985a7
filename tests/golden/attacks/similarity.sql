-- attack_of_similarity_8: all rows of a class have the same label, 1 level(s) above the values
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness, section 3
-- reads:   sqlanon.published_equivalence_classes, sqlanon.value_levels_of_disease, its label at
--   each level, and sqlanon.published_class_values_of_disease, how often each value of disease
--   occurs in each class
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of labels of level 1 with a share of at least 1, compared exactly   [rows]
--   certainty      share of the most frequent label   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value has the label that the hierarchy gives it
with class_labels as (
    -- a person with several values is counted once
    select
        classes.age, classes.zip,
        classes.class_size,
        least(cast(sum(class_values.value_count) as bigint), classes.class_size) as value_count
    from sqlanon.published_class_values_of_disease as class_values
    inner join sqlanon.value_levels_of_disease as value_levels
        on value_levels.value = class_values.value
        and value_levels.level = 1
    inner join sqlanon.published_equivalence_classes as classes
        on classes.age is not distinct from class_values.age
        and classes.zip is not distinct from class_values.zip
    group by classes.age, classes.zip, classes.class_size, value_levels.label
),
disclosed_values as (
    select
        class_labels.*,
        class_labels.value_count / cast(class_labels.class_size as double) as certainty,
        class_labels.value_count >= 1 * class_labels.class_size as is_disclosed
    from class_labels
)
select
    disclosed_values.age, disclosed_values.zip,
    disclosed_values.class_size,
    -- a person with several values is counted once
    least(
        coalesce(sum(disclosed_values.value_count) filter (where disclosed_values.is_disclosed), 0),
        disclosed_values.class_size
    ) as rows_at_risk,
    max(disclosed_values.certainty) as certainty,
    bool_or(disclosed_values.is_disclosed) as broken
from disclosed_values
group by disclosed_values.age, disclosed_values.zip, disclosed_values.class_size
