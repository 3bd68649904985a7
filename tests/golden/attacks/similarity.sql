-- attack_of_similarity_8: all rows of a class have the same label, 1 level(s) above the values
-- source:  Li, Li and Venkatasubramanian 2007, t-closeness, section 3
-- reads:   sqlanon.published_equivalence_classes, sqlanon.published_class_values_of_disease, how
--   often each value of disease occurs in each class, and sqlanon.value_levels_of_disease, its
--   label at each level
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of labels of level 1 with a share of 1 or more in the class,
--                  compared exactly   [rows]
--   certainty      share of the most frequent label   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value has the label that the hierarchy gives it
with class_labels as (
    -- a person with several values is counted once
    select
        classes.age, classes.zip,
        classes.class_size,
        least(cast(sum(class_values.value_count) as bigint), classes.class_size) as label_count
    from sqlanon.published_class_values_of_disease as class_values
    inner join sqlanon.value_levels_of_disease as value_levels
        on value_levels.value = class_values.value
        and value_levels.level = 1
    inner join sqlanon.published_equivalence_classes as classes
        on classes.age is not distinct from class_values.age
        and classes.zip is not distinct from class_values.zip
    group by classes.age, classes.zip, classes.class_size, value_levels.label
),
told_labels as (
    select
        class_labels.*,
        class_labels.label_count >= 1 * class_labels.class_size as is_told
    from class_labels
)
select
    told_labels.age, told_labels.zip,
    told_labels.class_size,
    least(
        coalesce(sum(told_labels.label_count) filter (where told_labels.is_told), 0),
        told_labels.class_size
    ) as rows_at_risk,
    max(told_labels.label_count) / cast(told_labels.class_size as double) as certainty,
    bool_or(told_labels.is_told) as broken
from told_labels
group by told_labels.age, told_labels.zip, told_labels.class_size
