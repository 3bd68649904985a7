-- attack_of_homogeneity_4: all rows of a class have the same value, so everyone in the class has it
-- source:  Machanavajjhala et al. 2006, l-diversity, section 1
-- reads:   sqlanon.published_equivalence_classes, and sqlanon.published_class_values_of_disease,
--   how often each value of disease occurs in each class
-- returns: one row per class
--   class_size     rows of the class   [rows]
--   rows_at_risk   rows of values with a share of at least 1, compared exactly   [rows]
--   certainty      share of the most frequent value   [0 to 1]
--   broken         true if rows are at risk; never null
-- nulls:   a missing value is a value of its own
with disclosed_values as (
    select
        classes.age, classes.zip,
        classes.class_size,
        class_values.value_count,
        class_values.value_count / cast(classes.class_size as double) as certainty,
        class_values.value_count >= 1 * classes.class_size as is_disclosed
    from sqlanon.published_class_values_of_disease as class_values
    inner join sqlanon.published_equivalence_classes as classes
        on classes.age is not distinct from class_values.age
        and classes.zip is not distinct from class_values.zip
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
